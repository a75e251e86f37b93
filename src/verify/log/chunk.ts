// Checks one range of a log's records: those of one complete Merkle subtree, or of the last incomplete one. The check runs in a thread
// and returns a small report, however many records it read.

import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { Frontier } from '../../proof/merkle.js';
import { checkSubjects, concernsRows, namesApprovals, saidEvents, TraceList, traceRecord } from '../evidence/index.js';
import { type CheckedHead, type Checkpointed, checkCheckpoints } from '../heads/checkpoint-check.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReader, StoreSnapshot } from '../reading.js';
import { addFinding, addFound, type Found, foundOf, guarded, nothingFound } from '../verdict/finding-list.js';
import { type BesideNotes, checkBeside, noBesides } from './beside-check.js';
import { type CallPlace, callFault, countAbandoned, type Intents } from './calls.js';
import { isKnownKind } from './kinds.js';
import { checkpointsIn } from './ledger-repository.js';
import { PayloadWalk } from './payload-walk.js';
import { newPresences, notePresence, type Presences, presenceEntries } from './presence.js';
import { NO_LEAF } from './record.js';
import { RecordReader } from './record-reader.js';
import { addLeaf, type Subtree, subtreeFrom } from './subtree.js';
import { compareTiles } from './tiles.js';

export const CHUNK = 2 ** VERIFY_LIMITS.verifyChunkLevel;

export interface ChunkJob {
  readonly log: string;
  readonly base: number;
  readonly publicKey: string;
  /** True if the store has a newer format: then only the bytes of records, the tree over them and its signatures are checked. */
  readonly isNewer: boolean;
  readonly from: number;
  /** The number of the record that follows the last record of the range. */
  readonly to: number;
  /** The signed heads in this range; the report has the tree's frontier (roots of complete subtrees) at the size of each. */
  readonly heads: readonly CheckedHead[];
}

export interface ChunkReport {
  readonly found: Found;
  /** The roots of the complete subtrees of this range alone. */
  readonly frontier: Frontier;
  readonly marks: readonly { readonly size: number; readonly frontier: Frontier }[];
  readonly checkpoints: readonly Checkpointed[];
  /** The records that say something about the whole log, in order; among them the log's first record and the range's last. */
  readonly notable: readonly JsonObject[];
  /** Missing payloads (arguments or texts stored beside a record): the first and last record number of each unbroken run. */
  readonly absent: readonly (readonly [number, number])[];
  /** How many records are of kinds that this version does not know, in a store of a newer format. */
  readonly unknownKinds: number;
  /** The number of the last record in the form of format 4, with the member `change`; -1 if there is none. */
  readonly lastOldChange: number;
  /** What the records say about evidence rows: entries for the scratch file. */
  readonly traces: Uint8Array;
  /** How many calls have no outcome although their Colibri process is gone. */
  readonly openCalls: number;
  /** How many events of reputation the records say. */
  readonly events: number;
  /** Which processes and calls the records name: entries for the scratch file, made by presence.ts. */
  readonly presences: Uint8Array;
  /** What the records say about the sizes of other logs. */
  readonly besides: Pick<BesideNotes, 'named' | 'lacking'>;
}

const NOTABLE: ReadonlySet<unknown> = new Set([
  'accept',
  'beside',
  'boot',
  'erase',
  'gap',
  'migrate',
  'prune',
  'rotate',
  'shutdown',
]);

/** The kinds of records which say that stored contents were removed. */
const TAKES_OUT: ReadonlySet<unknown> = new Set(['erase', 'prune']);

interface Progress {
  readonly job: ChunkJob;
  readonly records: RecordReader;
  readonly found: Found;
  readonly tree: Subtree;
  readonly intents: Intents;
  readonly notable: JsonObject[];
  readonly payloads: PayloadWalk;
  readonly presences: Presences;
  readonly traces: TraceList;
  readonly besides: BesideNotes;
  unknownKinds: number;
  lastOldChange: number;
  events: number;
}

/** Checks what a valid record says about other records and rows. */
const checkMeaning = (tx: StoreSnapshot, progress: Progress, body: JsonObject, place: CallPlace): void => {
  const { found } = progress;
  const where = { log: place.log, seq: place.seq };
  notePresence(progress.presences, body, place.seq);
  if (body.change !== undefined) progress.lastOldChange = place.seq;
  if (body.route !== undefined || body.credits !== undefined) progress.events += saidEvents(body).size;
  const fault = callFault(tx, progress.intents, body, place);
  if (fault !== undefined) addFinding(found, 'call', where, fault);
  checkBeside(tx, progress.besides, body, where, found);
  if (body.kind === 'accept' && !tx.engine.isIndexedAcceptance(tx, place.base + place.seq))
    addFinding(found, 'file', where, 'The index of what was accepted does not have the record.');
  if (body.subjects !== undefined || TAKES_OUT.has(body.kind) || namesApprovals(body)) {
    addFound(found, foundOf(checkSubjects(tx, { ...where, body })));
  }
  if (concernsRows(body)) {
    addFound(found, foundOf(traceRecord(tx, { ...where, body }, place.base + place.seq, progress.traces)));
  }
};

const checkNext = (tx: StoreSnapshot, progress: Progress, seq: number): void => {
  const { job, found, tree, notable, payloads } = progress;
  const where = { log: job.log, seq };
  const { leaf, body, fault } = progress.records.next(seq);
  addLeaf(tree, leaf);
  if (fault !== undefined) addFinding(found, 'record', where, fault);
  if (body === undefined) return;
  if (NOTABLE.has(body.kind) || body.adopted !== undefined || seq === 0 || seq === job.to - 1) notable.push(body);
  if (job.isNewer) progress.unknownKinds += isKnownKind(body.kind) ? 0 : 1;
  else
    guarded(found, 'record', where, () => {
      checkMeaning(tx, progress, body, { log: job.log, seq, base: job.base, from: job.from });
      payloads.check(tx, body, seq);
    });
};

const markTree = ({ job, tree }: Progress, marks: Map<number, Frontier>): void => {
  const size = job.from + tree.count;
  if (marks.has(size)) marks.set(size, [...tree.frontier]);
};

/** Whether two records from `seq` on may be checked at once: the last record of the range is looked at by itself. */
const isWithin = ({ isNewer, to }: ChunkJob, seq: number): boolean => !isNewer && seq + 2 < to;

/** Checks the two records of a call at once, if they follow each other and have the usual shape; otherwise false. */
const checkPair = (tx: StoreSnapshot, progress: Progress, seq: number, marks: Map<number, Frontier>): boolean => {
  const { job, records, found, tree, presences, payloads } = progress;
  const pair = records.nextPair(seq);
  if (pair === undefined) return false;
  for (const leaf of pair.leaves) {
    addLeaf(tree, leaf);
    markTree(progress, marks);
  }
  notePresence(presences, pair.intent, seq);
  if (pair.route !== undefined) progress.events += saidEvents({ kind: 'call.exit', route: pair.route }).size;
  guarded(found, 'record', { log: job.log, seq }, () => payloads.check(tx, pair.intent, seq));
  return true;
};

interface Stretch {
  readonly from: number;
  readonly to: number;
}

const checkBatch = (
  tx: StoreSnapshot,
  progress: Progress,
  { from, to }: Stretch,
  marks: Map<number, Frontier>,
): void => {
  const { job, records, payloads } = progress;
  records.begin(tx, from, to);
  if (!job.isNewer) payloads.read(tx, from, to);
  for (let seq = from; seq < to; seq++) {
    if (isWithin(job, seq) && checkPair(tx, progress, seq, marks)) seq += 1;
    else {
      checkNext(tx, progress, seq);
      markTree(progress, marks);
    }
  }
  payloads.end(to);
};

/** Adds placeholders to the tree for the leaves of records that SQLite cannot read. */
const fillUp = ({ job, tree }: Progress, to: number): void => {
  while (job.from + tree.count < to) addLeaf(tree, NO_LEAF);
};

const walk = (reader: StoreReader, progress: Progress, marks: Map<number, Frontier>): void => {
  const { job, found } = progress;
  for (let from = job.from; from < job.to; from += VERIFY_LIMITS.verifyBatch) {
    const to = Math.min(from + VERIFY_LIMITS.verifyBatch, job.to);
    guarded(found, 'file', { log: job.log, seq: from }, () =>
      reader.snapshot((tx) => checkBatch(tx, progress, { from, to }, marks)),
    );
    fillUp(progress, to);
  }
};

const progressOf = (job: ChunkJob, found: Found): Progress => ({
  job,
  records: new RecordReader(job),
  found,
  tree: subtreeFrom(job.from),
  intents: new Map(),
  notable: [],
  payloads: new PayloadWalk(job.log, found),
  presences: newPresences(job.base / RECORDS_PER_LOG, job.log, Math.ceil((job.to - job.from) / 2) + 16),
  traces: new TraceList(),
  besides: noBesides(),
  unknownKinds: 0,
  lastOldChange: -1,
  events: 0,
});

export const checkChunk = async (reader: StoreReader, path: string, job: ChunkJob): Promise<ChunkReport> => {
  const found = nothingFound();
  const progress = progressOf(job, found);
  const { tree, notable } = progress;
  const { log, from, to } = job;
  let checkpoints: Checkpointed[] = [];
  const signed = nothingFound();
  guarded(signed, 'checkpoint', { log, table: 'checkpoints' }, () => {
    const rows = reader.snapshot((tx) => checkpointsIn(tx, log, from, to));
    checkpoints = checkCheckpoints(rows, job, signed);
  });
  const marks = new Map<number, Frontier>([...job.heads, ...checkpoints].map(({ size }) => [size, []]));
  walk(reader, progress, marks);
  guarded(found, 'tree', { log, table: 'tiles' }, () =>
    reader.snapshot((tx) => compareTiles(tx, log, tree.tiles, found)),
  );
  addFound(found, signed);
  return {
    found,
    frontier: tree.frontier,
    marks: [...marks].map(([size, frontier]) => ({ size, frontier })),
    checkpoints,
    notable,
    absent: progress.payloads.absent,
    unknownKinds: progress.unknownKinds,
    lastOldChange: progress.lastOldChange,
    traces: progress.traces.entries,
    events: progress.events,
    openCalls: await countAbandoned(reader, path, job, progress.intents),
    presences: presenceEntries(progress.presences),
    besides: { named: progress.besides.named, lacking: progress.besides.lacking },
  };
};
