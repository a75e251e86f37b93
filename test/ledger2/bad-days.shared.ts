// What bad-days.deep.test.ts and clocks.deep.test.ts share: processes, acknowledged calls, and what must be true after a bad day.
import { expect } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { type Environment, type Peer, type Place, serve, serveWithTools } from '../support/serve.js';
import { expectHealthy } from './stores.js';

const opened = async (peer: Peer): Promise<Peer> => {
  await peer.initialize();
  await peer.phase2();
  return peer;
};

export const started = (place: Place, env: Environment = {}): Promise<Peer> => opened(serve(place, { env }));
export const startedWithTools = (place: Place, env: Environment): Promise<Peer> => opened(serveWithTools(place, env));

/** A call that must be acknowledged. */
export const acknowledged = async (peer: Peer, tool: string, args: object): Promise<Receipt> => {
  const answer = await peer.call(tool, args);
  const receipt = receiptOf(answer);
  if (receipt === undefined) throw new Error(`no receipt: ${JSON.stringify(answer)}`);
  return receipt;
};

export const expectKept = ({ db }: Place, receipts: readonly Receipt[]): void => {
  const ledger = new Ledger(db);
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
};

/** Expects that nothing is wrong, and that doctor and status see no more than verify. */
export const expectQuiet = async (place: Place, env: Environment = {}): Promise<void> => {
  await expectHealthy(place);
  expect((await colibri(place, ['doctor'], { env })).stdout).toContain('0 problems');
  const status = await colibri(place, ['status'], { env });
  expect(status).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/was here|IS GONE|copy|older than/) });
};
