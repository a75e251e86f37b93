// Checks what a page shows: signatures, every shown record under the signed root, the texts beside the records, and the rows that the records
// name. The same file checks in `colibri verify` and in the browser that shows the page.
import { fromHex, toUtf8 } from './bytes.js';
import { canonicalJson, type JsonObject } from './canonical-json.js';
import { type Checkpoint, logIdIn } from './checkpoint.js';
import { openNote, type ProofCrypto } from './crypto.js';
import type { Hashes } from './hashes.js';
import { PROOF_LIMITS } from './limits.js';
import { openMultiproof } from './multiproof.js';
import type { PageData, PageLog } from './page-data.js';
import { checkPageRows, type RowsSeen, rowsToSee } from './page-rows.js';
import { isIndex } from './proof-file.js';
import { type Verifier, verifiers } from './verifier.js';

export interface PageCheck extends Pick<ProofCrypto, 'verifyEd25519'> {
  readonly hashes: Hashes;
  /** Awaited between parts of the work, so that a browser stays responsive. */
  readonly pause: () => Promise<void>;
}

/** What is known about one log of a page. */
export interface PageLogVerdict {
  readonly log: string;
  readonly vkey: string;
  /** What is wrong; nothing else here counts if there is anything. */
  readonly faults: readonly string[];
  /** How many records the log had when the page was made, as the page says. */
  readonly size: number;
  /** How many records the checkpoint covers. */
  readonly signed: number;
  readonly shown: number;
  /** How many of the shown records come after the checkpoint: nothing proves them yet. */
  readonly unsigned: number;
  /** The first and last shown record, if no record between them is left out. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /** How many texts beside the shown records are not in the page (erased, pruned or left out), though the records say that they were stored. */
  readonly withheld: number;
  /** The rows and thoughts that a shown record proves: `task T-0001`. */
  readonly proved: ReadonlySet<string>;
}

export interface PageVerdict {
  readonly verdict: 'verified' | 'incomplete' | 'broken';
  readonly logs: readonly PageLogVerdict[];
}

const seqOf = ({ seq }: JsonObject): number => (isIndex(seq) ? seq : -1);

/** Why the records of a log cannot be what the log has there, before anything is hashed. */
const orderFault = ({ records, size }: PageLog, log: string): string | undefined => {
  const misplaced = records.findIndex(
    (record, i) => record.log !== log || seqOf(record) < 0 || (i > 0 && seqOf(record) <= seqOf(records[i - 1] ?? {})),
  );
  if (misplaced >= 0) return `shown record ${misplaced + 1} is of another log, or not in its order`;
  return seqOf(records.at(-1) ?? { seq: 0 }) >= Math.max(size, 1) ? 'a record is beyond the end of the log' : undefined;
};

interface Work {
  readonly page: PageLog;
  readonly seen: RowsSeen;
  readonly check: PageCheck;
  readonly verifier: Verifier;
}

const openedOf = async ({ page, check, verifier }: Work): Promise<Checkpoint | string | undefined> => {
  if (page.checkpoint === null) return undefined;
  const opened = await openNote(page.checkpoint, verifier, check, {});
  if ('refused' in opened) return `checkpoint: ${opened.refused}`;
  return opened.checkpoint.size > page.size ? 'the checkpoint covers more records than the log had' : opened.checkpoint;
};

/** Whether the records that the checkpoint covers are under its root. */
const rootFault = async ({ page, check }: Work, checkpoint: Checkpoint | undefined): Promise<string | undefined> => {
  const { hashes, pause } = check;
  const size = checkpoint?.size ?? 0;
  const covered = page.records.filter((record) => seqOf(record) < size);
  if (size === 0) return page.nodes.length === 0 ? undefined : 'there are hashes of records that nothing signs';
  const leaves: string[] = [];
  for (const [i, record] of covered.entries()) {
    if (i % PROOF_LIMITS.recordsAtOnce === 0) await pause();
    leaves.push(hashes.leaf(canonicalJson(record)));
  }
  const claim = { size, indexes: covered.map(seqOf), hashes: leaves, nodes: page.nodes };
  const root = await openMultiproof(hashes.node, claim)?.root(pause);
  if (root === undefined) return 'the proof does not have the hashes that it needs';
  return root === checkpoint?.root ? undefined : 'the shown records are not those of the signed tree';
};

/** The digests in a record, among them those of the texts that are stored beside it; never that of an answer, which is not. */
const digestsIn = (record: JsonObject): unknown[] =>
  Object.entries(record).flatMap(([name, value]) =>
    name.endsWith('_digest') && name !== 'result_digest' ? [value] : [],
  );

/** Whether a record says that a text is stored beside it: `args: "stored"`, `texts: "stored"`. */
const isStored = (record: JsonObject): boolean => Object.values(record).includes('stored');

const payloadFaults = ({ page, check }: Work, records: ReadonlyMap<number, JsonObject>): string[] => {
  const faults: string[] = [];
  const seen = new Set<number>();
  for (const [seq, salt, json] of page.payloads) {
    const record = records.get(seq);
    const isRight = record !== undefined && digestsIn(record).includes(check.hashes.salted(fromHex(salt), json));
    if (!isRight || seen.has(seq)) faults.push(`the text beside record ${seq} is not the one that the record digests`);
    seen.add(seq);
  }
  return faults;
};

const definitionFaults = ({ page, check }: Work): string[] =>
  page.definitions.flatMap(([digest, text]) =>
    check.hashes.bytes(toUtf8(text)) === digest ? [] : [`the definition ${digest} has another digest`],
  );

const rangeOf = (records: readonly JsonObject[]): PageLogVerdict['range'] => {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return null;
  const [from, to] = [seqOf(first), seqOf(last)];
  return to - from + 1 === records.length ? { from, to } : null;
};

const checkLog = async (page: PageLog, check: PageCheck, seen: RowsSeen): Promise<PageLogVerdict> => {
  const verifier = verifiers(check.hashes).parseVkey(page.vkey);
  const log = verifier && logIdIn(verifier.name);
  const base = {
    log: log ?? '',
    vkey: page.vkey,
    size: page.size,
    shown: page.records.length,
    range: rangeOf(page.records),
  };
  const broken = (...faults: string[]): PageLogVerdict => ({
    ...{ ...base, faults, signed: 0, unsigned: base.shown, withheld: 0, proved: new Set<string>() },
  });
  if (verifier === undefined || log === undefined)
    return broken('the key is not the key of a log, or its name and key do not belong together');
  const wrongOrder = orderFault(page, log);
  if (wrongOrder !== undefined) return broken(wrongOrder);
  const work = { page, check, verifier, seen };
  const opened = await openedOf(work);
  if (typeof opened === 'string') return broken(opened);
  const wrongRoot = await rootFault(work, opened);
  if (wrongRoot !== undefined) return broken(wrongRoot);
  const records = new Map(page.records.map((record) => [seqOf(record), record]));
  const rows = checkPageRows(page, records, seen, check.hashes);
  const faults = [...payloadFaults(work, records), ...definitionFaults(work), ...rows.faults];
  const withText = new Set(page.payloads.map(([seq]) => seq));
  const signed = opened?.size ?? 0;
  return {
    ...base,
    faults: faults.slice(0, PROOF_LIMITS.pageFaults),
    signed,
    unsigned: page.records.filter((record) => seqOf(record) >= signed).length,
    withheld: page.records.filter((record) => isStored(record) && !withText.has(seqOf(record))).length,
    proved: rows.proved,
  };
};

const safely = async (page: PageLog, check: PageCheck, seen: RowsSeen): Promise<PageLogVerdict> => {
  try {
    return await checkLog(page, check, seen);
  } catch (thrown) {
    // A value without canonical form, or nested so deep that it cannot be written.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const { vkey, size, records } = page;
    const none = { signed: 0, unsigned: records.length, range: null, withheld: 0, proved: new Set<string>() };
    return { log: '', vkey, faults: [`it cannot be checked: ${why}`], size, shown: records.length, ...none };
  }
};

/** Checks all logs of a page. Two parts with one key would show one log as two. */
export const checkPage = async ({ logs }: Pick<PageData, 'logs'>, check: PageCheck): Promise<PageVerdict> => {
  const found: PageLogVerdict[] = [];
  const seen = rowsToSee(logs);
  for (const page of logs) found.push(await safely(page, check, seen));
  const isTwice = new Set(logs.map(({ vkey }) => vkey)).size < logs.length;
  if (isTwice || logs.length === 0 || found.some(({ faults }) => faults.length > 0))
    return { verdict: 'broken', logs: found };
  return { verdict: found.some(({ unsigned }) => unsigned > 0) ? 'incomplete' : 'verified', logs: found };
};
