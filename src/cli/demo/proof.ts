// The demo's steps about evidence: the session is sealed, one decision is proved to a stranger, the whole store is verified, and
// `verify` finds one changed byte in a copy of the store.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { KeptReceipt } from '../verify/receipts-file.js';
import type { DemoClient } from './client.js';
import { demoThoughts } from './crash.js';
import { type Counts, countDemoRecords, lookIntoDemo, thoughtContent } from './repository.js';
import type { Scratch } from './scratch.js';
import type { Story } from './story.js';
import { DECISION, VERIFIED } from './work.js';

const sealed = z.looseObject({ root: z.string(), record_count: z.int(), checkpoint_size: z.int() });

export const sealDemoSession = async (
  story: Story,
  client: DemoClient,
  session_id: string,
): Promise<ReadonlyMap<string, string>> => {
  const there = await demoThoughts(client, session_id);
  const { root, record_count, checkpoint_size } = await client.ask('merkle_finalize', { session_id }, sealed);
  story.claim(record_count === there.size && /^[0-9a-f]{64}$/.test(root), {
    claim: `the session is sealed: ${record_count} thoughts under one root, the ledger signed over it`,
    lines: [`root ${root}`],
    data: { session: session_id, root, record_count, checkpoint_size },
    found: { record_count, listed: there.size, root },
  });
  return there;
};

const proved = z.looseObject({ vkey: z.string() });
const report = z.looseObject({ valid: z.boolean(), proved: z.looseObject({ content: z.string() }) });

/** Proves a thought to a stranger, who gets only the proof file and the public key. */
export const proveDecision = async (story: Story, scratch: Scratch, thought: string): Promise<void> => {
  const file = scratch.in('decision.tlog-proof');
  const made = await scratch.colibri(['prove', thought, '--out', file, '--json']);
  const { vkey } = proved.parse(JSON.parse(made.stdout || '{}'));
  story.claim(made.code === 0 && existsSync(file), {
    claim: 'one decision is exported as a proof file',
    lines: [`colibri prove ${thought}`],
    data: { file, vkey },
    found: made,
  });
  const checked = await scratch.colibri(['verify', file, '--key', vkey, '--json'], scratch.stranger);
  const verdict = report.safeParse(JSON.parse(checked.stdout || '{}')).data;
  story.claim(checked.code === 0 && verdict?.valid === true && verdict.proved.content === DECISION, {
    claim: 'a stranger without the store checks it with the public key alone',
    lines: [`"${DECISION}"`, 'colibri verify decision.tlog-proof --key colibri.dev/log/…: exit 0'],
    data: { thought, content: verdict?.proved.content, exit: checked.code },
    found: checked,
  });
};

/** Verifies the demo's store and counts its records, after the server has ended. */
export const verifyAll = async (story: Story, scratch: Scratch, receipts: readonly KeptReceipt[]): Promise<Counts> => {
  const counts = await lookIntoDemo(scratch.store, countDemoRecords);
  const { records, intents, outcomes } = counts;
  story.claim(intents === outcomes && intents >= receipts.length && counts.last === 'shutdown', {
    claim: `the ledger holds ${intents} calls, an intent and an outcome each, in ${records} records`,
    data: { ...counts },
    found: { ...counts, receipts: receipts.length },
  });
  const { code, record_count } = await scratch.verifyReceipts(receipts);
  story.claim(code === 0 && record_count === records, {
    claim: `the whole store verifies, ${record_count} records, all ${receipts.length} receipts among them`,
    lines: ['colibri verify --receipts receipts.jsonl: exit 0'],
    data: { exit: code, record_count, receipts: receipts.length },
  });
  return counts;
};

/** The position of the digit to change in the thought's text: 40 ms become 10 ms. */
const AT = VERIFIED.indexOf('40 ms');
const FORGED = VERIFIED.replace('40 ms', '10 ms');

/** Every position of a text in the store's file: old database pages may contain copies that no row uses any more. */
function* positionsOf(file: Buffer, text: string): Generator<number> {
  for (let at = file.indexOf(text); at !== -1; at = file.indexOf(text, at + 1)) yield at;
}

/** Writes a copy of the store with one byte changed, so that the thought reads differently. False if the thought was not found. */
const forge = async (store: string, copy: string, thought: string): Promise<boolean> => {
  const original = readFileSync(store);
  for (const place of positionsOf(original, VERIFIED)) {
    const forged = Buffer.from(original);
    forged[place + AT] = '1'.charCodeAt(0);
    writeFileSync(copy, forged);
    if ((await lookIntoDemo(copy, (tx) => thoughtContent(tx, thought))) === FORGED) return true;
  }
  return false;
};

/** Changes one byte of a copy of the store; `verify` must find it. */
export const showTampering = async (story: Story, scratch: Scratch, thought: string): Promise<void> => {
  const copy = scratch.in('forged.db');
  const changed = await forge(scratch.store, copy, thought);
  story.claim(changed, {
    claim: 'one byte of a copy is changed: a measurement looks better than it was',
    lines: [`"${FORGED}"`],
    data: { copy, thought },
    found: 'the text of the thought was not found in the file',
  });
  const { code, findings } = await scratch.verify('--db', copy);
  const finding = findings.find(({ where }) => where.id === thought);
  story.claim(code === 20 && finding !== undefined, {
    claim: 'verify says 20, BROKEN, and names the thought',
    lines: [`thoughts ${thought}: ${finding?.message}`],
    data: { exit: code, finding },
    found: { code, findings },
  });
};
