// What the tests of the words of errors share: a server that says what it is told to, and what the ledger kept of it.
import { rows } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import type { Message, Peer, Place } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

export const board = (place: Place, env: Record<string, string> = {}): void =>
  void writeBoard(place, { says: fakeServer('says', env) });

export const ready = (peer: Peer): Promise<void> =>
  peer.until(() => /says: STARTING → HEALTHY/.test(peer.stderr), 30_000);

export const callId = (answer: Message): string => receiptOf(answer)?.call ?? '';

interface Kept {
  readonly message: string;
  readonly data?: string;
  readonly stderr?: string;
}

/** What is kept beside the outcomes, newest last. */
export const keptWords = (place: Place): (Kept & { attempts?: (Kept & { attempt: number })[] })[] =>
  rows<{ json: string }>(
    place,
    `SELECT p.json FROM payloads p JOIN actions a ON a.log_id = p.log_id AND a.seq = p.seq
     WHERE a.kind = 'call.exit' ORDER BY a.id`,
  ).map((row) => JSON.parse(row.json));

/** Calls a tool of the server, again while the server is being started once more. */
export const said = async (peer: Peer, name: string, text: string): Promise<Message> => {
  for (let tries = 0; ; tries += 1) {
    const answer = await peer.call(`says__${name}`, { text }, 30_000);
    if (tries > 20 || !JSON.stringify(answer).includes('is not available')) return answer;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
};
