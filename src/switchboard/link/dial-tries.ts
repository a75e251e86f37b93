// What dials (attempts to connect) over stdio and HTTP share: up to three tries within the time limit, until it is known which protocol the
// server speaks (its era: legacy or modern), and the making of the link.
import type { Client } from '@modelcontextprotocol/client';
import { CORE_LIMITS } from '../../core/limits.js';
import { asError } from '../../errors.js';
import { redactText } from '../../redact/redact.js';
import type { DialFault } from '../health/state.js';
import { answerServer } from './dial-client.js';
import type { DialDeps } from './dial-deps.js';
import { DialTime } from './dial-time.js';
import { type EraOpening, type EraPlan, nextPlan, planOf } from './era.js';
import { type Carrier, Lane } from './lane.js';
import type { Dial, DialEnd, DialRequest } from './link.js';
import { modernEnvelope } from './meta.js';
import { type LinkLine, OpenLink } from './open.js';

export interface DialTry {
  readonly deps: DialDeps;
  readonly request: DialRequest;
  readonly time: DialTime;
  readonly plan: EraPlan;
}

export interface TryEnd extends Omit<EraOpening, 'fault'> {
  readonly end: DialEnd;
}

/** Makes a dial of up to three tries. `digest`: identifies the connection; the server's protocol era is stored under this digest. */
export const dialInTries =
  (digest: string, deps: DialDeps, open: (tried: DialTry) => Promise<TryEnd>): Dial =>
  async (request) => {
    const time = new DialTime(request, deps.nowMs);
    try {
      let plan = planOf(deps.eras.get(digest), deps.epochMs());
      for (;;) {
        const { end, ...learned } = await open({ deps, request, time, plan });
        if ('link' in end) remember(deps, digest, plan, learned.offered);
        const next = 'fault' in end && !time.isOver ? nextPlan(plan, { fault: end.fault, ...learned }) : undefined;
        if (next === undefined) return end;
        if (plan.era !== 'probe') deps.eras.set(digest, undefined);
        plan = next;
      }
    } catch (thrown) {
      // The connection's settings are wrong, for instance the URL is not valid after variables were filled in.
      return failedDial('spawn_error', asError(thrown).message);
    } finally {
      time.stop();
    }
  };

/** Stores the server's protocol era. A modern version that the server offered too late for this connection is stored for the next one. */
const remember = (deps: DialDeps, digest: string, plan: EraPlan, offered: string | undefined): void => {
  const at = deps.epochMs();
  if (offered !== undefined) deps.eras.set(digest, { era: 'modern', version: offered, at });
  // A stored verdict that was only used again keeps its date, so that the verdict expires.
  else if (plan.era === 'probe' || !plan.remembered) deps.eras.set(digest, { era: 'legacy', at });
};

export interface OpenedDial {
  readonly client: Client;
  readonly carrier: Carrier;
  readonly line: LinkLine;
}

/** Makes the link of a connection after the handshake; the server's tool list is still to be read. */
export const newLink = (
  { deps, request }: DialTry,
  { client, carrier, line }: OpenedDial,
): { readonly lane: Lane; readonly link: OpenLink } => {
  const { dial, events } = request;
  const { identity, capabilities, nowMs } = deps;
  const version = client.getNegotiatedProtocolVersion() ?? '';
  const envelope = client.getProtocolEra() === 'modern' ? modernEnvelope(version, identity, capabilities()) : {};
  const onListChanged = events.listChanged.bind(events);
  const onNotified = events.notified.bind(events);
  const lane = new Lane({ carrier, envelope, nowMs, onListChanged, onNotified });
  answerServer(client, deps, () => lane.hold());
  return { lane, link: new OpenLink({ dial, client, lane, line, events }) };
};

export const failedDial = (fault: DialFault, text: string, said?: string): DialEnd => ({
  fault,
  // Secrets are removed before the text is cut: half a secret is not recognised.
  text: redactText(text).slice(0, CORE_LIMITS.messageChars),
  said: said === undefined ? undefined : redactText(said).slice(0, CORE_LIMITS.messageChars),
});
