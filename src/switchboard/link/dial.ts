// Connects to a server (this is called a dial), as a child process or over HTTP. There are up to three tries within the time limit, until it
// is known whether the server speaks a legacy or a modern protocol (its era).
import { asError } from '../../errors.js';
import { type Connected, connectionDigest } from '../config/connection.js';
import { openHttp } from './dial-http.js';
import { openStdio } from './dial-stdio.js';
import { type DialDeps, DialTime, failedDial } from './dial-try.js';
import { type EraPlan, nextPlan, planOf } from './era.js';
import type { Dial } from './link.js';

/** Returns the function that connects to a server. The server's protocol era is stored under the digest of its connection. */
export const dialFor = (server: Pick<Connected, 'connection' | 'written'>, deps: DialDeps): Dial => {
  const { connection } = server;
  const digest = connectionDigest(server);
  return async (request) => {
    const time = new DialTime(request, deps.nowMs);
    try {
      let plan = planOf(deps.eras.get(digest), deps.epochMs());
      for (;;) {
        const tried = { deps, request, time, plan };
        const { end, ...learned } = await (connection.kind === 'stdio'
          ? openStdio(connection, tried)
          : openHttp(connection, tried));
        if ('link' in end) remember(deps, digest, plan, learned.offered);
        const next = 'fault' in end && !time.isOver ? nextPlan(plan, { fault: end.fault, ...learned }) : undefined;
        if (next === undefined) return end;
        if (plan.era !== 'probe') deps.eras.delete(digest);
        plan = next;
      }
    } catch (thrown) {
      // The connection's settings are wrong, for instance the URL is not valid after variables were filled in.
      return failedDial('spawn_error', asError(thrown).message);
    } finally {
      time.stop();
    }
  };
};

/** Stores the server's protocol era. A modern version that the server offered too late for this connection is stored for the next one. */
const remember = (deps: DialDeps, digest: string, plan: EraPlan, offered: string | undefined): void => {
  const at = deps.epochMs();
  if (offered !== undefined) deps.eras.set(digest, { era: 'modern', version: offered, at });
  // A stored protocol era that was used for this connection, and not found out anew, keeps its date, so that it expires.
  else if (plan.era === 'probe' || !plan.remembered) deps.eras.set(digest, { era: 'legacy', at });
};
