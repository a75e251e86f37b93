// What killed.test.ts and killed.deep.test.ts share: processes with many servers, to be killed.
import { binary } from '../support/dial.js';
import { type Peer, type Place, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { killLivingAtEnd } from './living-processes.js';

/** 5 s are promised. The rest is for a machine on which much else runs. */
export const PROMISED_MS = 5_000;
export const SLACK_MS = 10_000;

const FAKES = ['hangs', 'grandchild', 'ignores-sigterm', 'ignores-end', 'slow-calls'] as const;
export const SERVERS = [...FAKES, 'everything'];

export const loaded = async (place: Place): Promise<Peer> => {
  killLivingAtEnd(place);
  writeBoard(place, {
    ...Object.fromEntries(FAKES.map((name) => [name, fakeServer(name)])),
    everything: { command: binary('mcp-server-everything'), args: ['stdio'] },
  });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.until(() => SERVERS.every((name) => peer.stderr.includes(`${name}: STARTING → HEALTHY`)), 30_000);
  return peer;
};

export const load = (peer: Peer): void => {
  let id = 0;
  const call = (name: string, args: object): void =>
    peer.send({ jsonrpc: '2.0', id: `load-${id++}`, method: 'tools/call', params: { name, arguments: args } });
  for (let n = 0; n < 10; n++) {
    call('hangs__echo', {});
    call('slow-calls__echo', { ms: 100 + 50 * n });
    call('everything__echo', { message: `call ${n}` });
  }
};

/** Colibri, six servers, a child of one, the watchdog. */
export const EVERYBODY = SERVERS.length + 3;
