// Moves the intents that dead processes left in their journals into the ledger. Each of them becomes an intent and the outcome `interrupted`, both marked
// `recovered`, unless the call is in the ledger already. A kernel lock decides who is dead, never a process id.
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asError, quietly } from '../../errors.js';
import { readUntrusted } from '../../files/untrusted-file.js';
import type { CallEnterRecord } from '../../proof/records.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { readHead } from '../head.js';
import { append } from '../ledger.js';
import { LEDGER_LIMITS } from '../limits.js';
import { appendKept, type KeptEntry } from '../payload.js';
import type { CallLedger } from './call-ledger.js';
import { endBeforeRecovery, type InstancePlace } from './instances.js';
import { type JournalPlace, journalsIn, keepJournal, removeJournal } from './journal-folder.js';
import { type ReadFrame, type ReadJournal, readJournal } from './journal-format.js';
import { outcomeEntry } from './pair.js';

/** How an unknown boot of the machine is written in a journal. */
export const bootText = ({ machineBoot }: Pick<JournalPlace, 'machineBoot'>): string => machineBoot ?? '-';

/** What was done with the journals of dead processes. */
export interface Recovered {
  /** The number of calls that were added to the ledger. */
  calls: number;
  /** Why journals were kept although their processes are dead. */
  readonly kept: string[];
}

/** An intent in a journal. */
interface LeftIntent {
  readonly at: string;
  readonly record: CallEnterRecord;
  readonly kept: KeptEntry['kept'];
}

/** The members of a record that it gets from its position in the log. */
type Placed = { readonly at: string; readonly v: unknown; readonly log: unknown; readonly seq: unknown };

const intentIn = (line: string): LeftIntent => {
  const [text = '', salt, json] = line.split('\t');
  const { at, v: _v, log: _log, seq: _seq, ...record } = JSON.parse(text) as CallEnterRecord & Placed;
  const kept = salt === undefined ? undefined : { salt, json: json === '' || json === undefined ? null : json };
  return { at, record, kept };
};

/** Removes the calls whose intents are among the records with a `seq` from `from` up to `to`, exclusive. */
const dropKnown = async (
  tx: ReadTx,
  log: { readonly id: string; readonly base: number },
  range: { readonly from: number; readonly to: number },
  left: Map<string, LeftIntent>,
): Promise<void> => {
  const rows = await tx.all<{ body: string }>(
    "SELECT body FROM actions WHERE log_id = ? AND id >= ? AND id < ? AND kind = 'call.enter'",
    log.id,
    log.base + range.from,
    log.base + range.to,
  );
  for (const { body } of rows) left.delete((JSON.parse(body) as { call: string }).call);
};

const entriesOf = ({ at, record, kept }: LeftIntent, now: string): KeptEntry[] => {
  const { call, tool } = record;
  return [
    { dated: { at, record: { ...record, recovered: true } }, kept },
    outcomeEntry('before', { kind: 'call.exit', at: now, call, tool, outcome: 'interrupted', recovered: true }),
  ];
};

/** Reads a log from a position on, and removes the calls that it has. Returns where the search ended. */
const dropAllKnown = async (
  { store }: InstancePlace,
  log: string,
  begin: number,
  left: Map<string, LeftIntent>,
): Promise<number> => {
  for (let from = begin; ; ) {
    const isDone = await store.read(async (tx) => {
      const { base, size } = await readHead(tx, log);
      const to = Math.min(size, from + LEDGER_LIMITS.sweepRecords);
      await dropKnown(tx, { id: log, base }, { from, to }, left);
      from = Math.max(from, to);
      return to >= size;
    });
    if (isDone || left.size === 0) return from;
  }
};

/** The intents of frames by their calls, and the size that the log had when the first of them began. */
const intentsIn = (frames: readonly ReadFrame[]) => {
  const intents = frames.flatMap(({ lines }) => lines.map(intentIn));
  const left = new Map(intents.map((intent) => [intent.record.call, intent]));
  return { left, begin: Math.min(...frames.map(({ size }) => size)) };
};

/** Adds the calls to the ledger that are not in it; returns their number. Records are searched from the size that the log had when they began. */
const addCalls = async (place: InstancePlace, frames: readonly ReadFrame[]): Promise<number> => {
  const { store, log, now } = place;
  const { left, begin } = intentsIn(frames);
  const from = await dropAllKnown(place, log.id, begin, left);
  if (left.size === 0) return 0;
  const add = async (tx: Tx): Promise<number> => {
    const { base, size } = await readHead(tx, log.id);
    const missing = new Map(left);
    await dropKnown(tx, { id: log.id, base }, { from, to: size }, missing);
    const at = now();
    for (const intent of missing.values()) await appendKept(tx, log, entriesOf(intent, at));
    return missing.size;
  };
  return store.write(add, { sync: true, log: log.id });
};

type LogState = { readonly node: string; readonly closed_at: string | null };

/** Whether the log is closed and belongs to the same machine and user as our log. */
const isOurClosedLog = async ({ store, log }: InstancePlace, other: string): Promise<boolean> =>
  store.read(async (tx) => {
    const find = (id: string) => tx.get<LogState>('SELECT node, closed_at FROM logs WHERE log_id = ?', id);
    const [own, theirs] = [await find(log.id), await find(other)];
    return theirs !== undefined && theirs.closed_at !== null && theirs.node === own?.node;
  });

/** Whether the log has the record of a process's start. It has not if the store was replaced by an older one since then. */
const hasBooted = async ({ store, log }: InstancePlace, instance: string): Promise<boolean> => {
  const row = 'SELECT 1 AS found FROM instances WHERE instance = ? AND log_id = ?';
  if ((await store.read((tx) => tx.get(row, instance, log.id))) !== undefined) return true;
  // A process that died in the middle of a clean end has no row any more, but it has its record.
  const { base, size } = await store.read((tx) => readHead(tx, log.id));
  for (let to = size; to > 0; to -= LEDGER_LIMITS.sweepRecords) {
    const boots = await store.read((tx) =>
      tx.all<{ body: string }>(
        "SELECT body FROM actions WHERE log_id = ? AND id >= ? AND id < ? AND kind = 'boot'",
        log.id,
        base + Math.max(0, to - LEDGER_LIMITS.sweepRecords),
        base + to,
      ),
    );
    if (boots.some(({ body }) => (JSON.parse(body) as { instance: string }).instance === instance)) return true;
  }
  return false;
};

/**
 * Records that calls are missing which cannot be appended to the log of their process. Does nothing if a record says so already: another process
 * recovers the same journal, or the one that did died before it renamed the file.
 */
const recordGap = async (
  { store, log, now }: InstancePlace,
  missing: readonly LeftIntent[],
  reason: string,
): Promise<void> => {
  const times = missing.map(({ at }) => at).sort();
  const at = now();
  const gap = { count: times.length, first_at: times[0] ?? at, last_at: times.at(-1) ?? at, reason };
  const isSame = ({ body }: { readonly body: string }): boolean => {
    const told = JSON.parse(body) as Record<string, unknown>;
    return Object.entries(gap).every(([name, value]) => told[name] === value);
  };
  const add = async (tx: Tx): Promise<void> => {
    const told = await tx.all<{ body: string }>(
      "SELECT body FROM actions WHERE log_id = ? AND kind = 'gap' ORDER BY seq",
      log.id,
    );
    if (!told.some(isSame)) await append(tx, log, [{ at, record: { kind: 'gap', ...gap } }]);
  };
  await store.write(add, { sync: true, log: log.id });
};

/** The reasons of gaps. */
const CLOSED_LOG = 'journal of a closed log';
const LOST_START = 'journal of a process whose start is missing';

/** Keeps a journal as evidence, and says why. */
const keep = (path: string, why: string, done: Recovered): void => {
  done.kept.push(`${keepJournal(path)}: ${why}`);
};

/** Reads a journal of a dead process; undefined if its process may live, or the file is not a journal of that process. */
const deadJournal = async (
  { store, log }: InstancePlace,
  { folder, machineBoot }: JournalPlace,
  instance: string,
): Promise<ReadJournal | undefined> => {
  if (await store.instances.isAlive(instance)) return undefined;
  const path = join(folder, instance);
  const bytes = quietly(() => readUntrusted(path, { maxBytes: LEDGER_LIMITS.journalBytes, within: folder }));
  if (bytes?.every((byte) => byte === 0) && (await store.instances.isHeld(instance))) {
    rmSync(path, { force: true }); // its process died while it made the file
    return undefined;
  }
  const journal = bytes && readJournal(bytes, (owner) => (owner.log === log.id ? log.journalMac : undefined));
  if (journal === undefined || journal.owner.instance !== instance) return undefined;
  // Somebody may have removed the lock file of a living process. No process lives on after the machine was started again.
  const mayLive = !(await store.instances.isHeld(instance)) && journal.owner.machineBoot === bootText({ machineBoot });
  return mayLive ? undefined : journal;
};

const recoverOne = async (
  place: InstancePlace,
  path: string,
  journal: ReadJournal,
  done: Recovered,
  ledger: CallLedger | undefined,
): Promise<void> => {
  const { owner, frames } = journal;
  if (owner.log !== place.log.id) {
    if (!(await isOurClosedLog(place, owner.log))) return;
    const { left, begin } = intentsIn(frames);
    await dropAllKnown(place, owner.log, begin, left);
    if (left.size === 0) return removeJournal(path, journal.owner);
    await recordGap(place, [...left.values()], CLOSED_LOG);
    return keep(path, 'its log is closed, so its calls are recorded as a gap', done);
  }
  const ours = frames.filter(({ isOurs }) => isOurs);
  if (ours.length > 0 && !(await hasBooted(place, owner.instance))) {
    // Records of a process that the log does not know would contradict the log.
    await recordGap(place, [...intentsIn(ours).left.values()], LOST_START);
    return keep(path, 'the log has no record of its start, so its calls are recorded as a gap', done);
  }
  if (ledger !== undefined) await endBeforeRecovery(place, ledger, owner.instance);
  if (ours.length > 0) done.calls += await addCalls(place, ours);
  if (ours.length === frames.length) return removeJournal(path, journal.owner);
  keep(path, "it has intents that were not written with the log's key; they were not added", done);
};

/** Moves the intents of all dead processes into the ledger and removes their journals. A journal that cannot be recovered does not stop the others. */
export const recoverJournals = async (
  place: InstancePlace,
  journals: JournalPlace,
  ledger?: CallLedger,
): Promise<Recovered> => {
  const done: Recovered = { calls: 0, kept: [] };
  for (const path of journalsIn(journals.folder).slice(0, LEDGER_LIMITS.journalsPerSweep)) {
    const instance = basename(path);
    try {
      const journal = await deadJournal(place, journals, instance);
      if (journal === undefined) continue;
      await recoverOne(place, path, journal, done, ledger);
      // A process that died in the middle of a clean end is in no table any more: nobody else would remove its lock file.
      if (!existsSync(path)) await place.store.instances.forget(instance);
    } catch (thrown) {
      done.kept.push(`${path}: ${asError(thrown).message}`);
    }
  }
  return done;
};
