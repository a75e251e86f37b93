// A disk that takes no more: calls are refused and say why, ping and health go on, nothing that was told is untrue.
import { expect, test } from 'vitest';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Message, type Peer, serveWithTools, session } from '../support/serve.js';

const FULL_CODES = ['AUDIT_ENTER_FAILED', 'AUDIT_EXIT_FAILED', 'STORE_FULL', 'STORE_UNAVAILABLE'];
/** One call takes 12 to 48 KiB of the write-ahead log: steps this small meet every part of a call. The intent journal, of 1 MiB, always fits. */
const FILE_KIB = Array.from({ length: 10 }, (_, n) => 1040 + 4 * n);
const REFUSALS = 5;

interface Written {
  readonly text: string;
  readonly answer: Message;
}

const writeUntilFull = async (peer: Peer): Promise<Written[]> => {
  const written: Written[] = [];
  for (let refused = 0; refused < REFUSALS && written.length < 200; ) {
    const text = `${written.length} ${'x'.repeat(300)}`;
    const answer = await peer.call('scratch_write', { text });
    written.push({ text, answer });
    if (answer.result.isError) refused += 1;
  }
  return written;
};

const fillUp = async (fileKiB: number): Promise<void> => {
  const place = freshPlace();
  await session(place, async () => {});
  const peer = serveWithTools(place, {}, { fileKiB });
  await peer.initialize();
  await peer.phase2();
  const written = await writeUntilFull(peer);
  const refused = written.filter(({ answer }) => answer.result.isError);
  expect(refused).toHaveLength(REFUSALS);
  for (const { answer } of refused) expect(FULL_CODES).toContain(answer.result.structuredContent.error.code);
  expect((await peer.call('server_ping', {})).result.structuredContent.ok).toBe(true);
  expect((await peer.end()).code).toBe(0);

  const again = serveWithTools(place);
  await again.initialize();
  await again.phase2();
  const { texts } = (await again.call('scratch_read', {})).result.structuredContent.data as { texts: string[] };
  await again.end();
  expect(texts).toEqual(written.filter(({ answer }) => !answer.result.isError).map(({ text }) => text));
  const ledger = new Ledger(place.db);
  for (const { answer } of written) {
    const receipt = receiptOf(answer);
    if (receipt === undefined) continue;
    expect(ledger.pairOf(receipt).exit?.body.outcome === 'ok').toBe(answer.result.structuredContent.ok);
  }
  expect(ledger.pairs.every(({ exit }) => exit !== undefined)).toBe(true);
};

test('writes until the disk is full: every receipt stands, every refusal wrote nothing', async () => {
  await Promise.all(FILE_KIB.map(fillUp));
});
