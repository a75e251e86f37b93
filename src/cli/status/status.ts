// The command `colibri status`: gathers the facts about the project, its store, ledger, tasks, servers and processes.
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { readBody } from '../../ledger/prove.js';
import { parseObject } from '../../proof/canonical-json.js';
import type { Note } from '../../start/identity.js';
import { sourceAt } from '../../start/store-source.js';
import type { ReadTx, Store } from '../../store/store.js';
import { custodyOf } from '../../verify/verdict/custody.js';
import type { Custody } from '../../verify/verdict/verdict.js';
import { isNotYet, readingStore, sayNotYet } from '../access.js';
import type { KnownInstance } from '../instances-repository.js';
import { CLI_LIMITS } from '../limits.js';
import { nodesOf } from '../nodes/list.js';
import { databaseBytes } from '../nodes/repository.js';
import { findStore, type PlaceOptions, type StoreAt, whoseStore } from '../place.js';
import { openCalls, processesOf, serverStates } from '../processes.js';
import { callView, shownOutcome } from '../records/call-view.js';
import { countEnded, isOpen, isTrouble, recordsBefore, recordsBetween, recordTime } from '../records/log-repository.js';
import { allLogs, type LogInfo } from '../records/record-repository.js';
import { storeCommand } from '../run.js';
import { sayAnswer } from '../screen/print.js';
import { midnight } from '../screen/time.js';
import { screenWidth } from '../screen/width.js';
import { projectNote } from '../tasks/namesakes.js';
import { countBlocked, countByState, countLeases } from '../tasks/repository.js';
import { contradictionsOf, growthOf, type LogStatus, ledgerStatus } from './ledger.js';
import { statusLines } from './text.js';

const AFTER = `
One screen: which project and store, how much is in it and how fast it grows,
whether the ledger continues the newest signed head outside the store, who
holds key and heads, tasks, other servers, processes, what went wrong today.
Nothing is written, and running servers are not disturbed. This only looks;
\`colibri verify\` checks.

  colibri status                   the store of this project
  colibri status --project ~/hive  the store of another one
  colibri status --json            the same for a program

Exit codes: 0, 1 the store cannot be read.`;

const COVERED = 'every call that goes through Colibri, to its own tools and to the servers behind it';
const NOT_COVERED = "what an agent does with its client's own tools (shell, file edits): that does not pass here";

/** The size of the store's file in bytes. Uses stat, because closing the file would drop SQLite's locks in this process. */
const bytesOf = (path: string): number =>
  ['', '-wal'].reduce((sum, end) => sum + (statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0), 0);

/** Where the store is and how large; of a store on a server its engine too, and the address without secrets. */
const storeStatus = async (tx: ReadTx, at: StoreAt) =>
  at.engine === 'sqlite'
    ? { path: at.path, rule: at.rule, bytes: bytesOf(at.path) }
    : { path: sourceAt(at).path, engine: 'PostgreSQL', rule: at.rule, bytes: await databaseBytes(tx) };

const processStatus = async (tx: ReadTx, { instance, log_id, boot_seq, pid, started_at }: KnownInstance) => {
  const body = await readBody(tx, { log: log_id, seq: boot_seq });
  const { mode, version } = parseObject(body ?? '{}');
  const wordOf = (value: unknown): string | null => (body === undefined ? null : String(value));
  return { pid, instance, started_at, mode: wordOf(mode), version: wordOf(version) };
};

const custodyStatus = (at: StoreAt, logs: readonly LogStatus[]): Custody => {
  const found = logs.filter(({ known_head }) => known_head.size > 0).length;
  const keys = { dir: at.keysDir, ...(at.keyFile !== undefined && { file: at.keyFile }) };
  return custodyOf({ ...sourceAt(at), keys, logs: logs.map(({ log }) => log), headsDir: at.headsDir, found, given: 0 });
};

const taskStatus = async (tx: ReadTx, nowMs: number) => {
  const all = { owner: undefined, assignee: undefined };
  return {
    states: await countByState(tx, all),
    blocked: (await countBlocked(tx, all)) ?? 0,
    leased: (await countLeases(tx, all, new Date(nowMs).toISOString())) ?? 0,
  };
};

/** The project and the id that its tasks carry; `id_rule` is the rule that chose the id, `id_note` is for a person who should act. */
const projectStatus = (at: StoreAt, note: Note | undefined) => {
  const { project, identity } = whoseStore(at);
  const { id = null, rule: id_rule = null } = identity ?? {};
  const id_note = note === undefined ? null : `${note.message} ${note.remedy}`;
  const who = project.none ? { name: null, dir: null } : { name: project.name, dir: project.dir };
  return { ...who, rule: project.rule, id, id_rule, id_note };
};

const readStatus = async (at: StoreAt, store: Store, nowMs: number) => {
  const { alive, dead } = await processesOf(store);
  const living = new Set(alive.map(({ instance }) => instance));
  const contradictions = await contradictionsOf(at, store);
  return store.read(async (tx) => {
    const all = await allLogs(tx);
    const logs = await ledgerStatus(tx, at);
    const processes: Awaited<ReturnType<typeof processStatus>>[] = [];
    for (const one of alive) processes.push(await processStatus(tx, one));
    return {
      project: projectStatus(at, await projectNote(tx, at)),
      store: { ...(await storeStatus(tx, at)), ...(await growthOf(tx, all, nowMs)) },
      logs,
      ...(at.engine === 'postgres' && { nodes: await nodesOf(tx, at, alive) }),
      /** How many logs are not in `logs`: closed logs, and open logs beyond the most that are listed. */
      other_logs: all.length - logs.length,
      /**
       * Sentences about how the store contradicts its signed heads: it is a copy, it lacks a log, or another store was at its path before.
       */
      contradictions,
      custody: custodyStatus(at, logs),
      covered: COVERED,
      not_covered: NOT_COVERED,
      tasks: await taskStatus(tx, nowMs),
      servers: await serverStates(tx, alive),
      processes,
      /** How many Colibri processes died and left calls for which nobody has recorded an outcome yet. */
      dead_processes: dead.length,
      /** How many of them ran on another machine or as another user: a server here does not record the outcomes of their calls. */
      dead_elsewhere: dead.filter(({ node }) => node !== at.node).length,
      /** How many calls of dead processes have no outcome, among the records that are read. */
      dead_calls: await openCalls(tx, dead),
      today: await callsToday(tx, all, living, nowMs),
    };
  });
};

export type Status = Awaited<ReturnType<typeof readStatus>>;

const status = async (options: PlaceOptions): Promise<number> => {
  const at = findStore(options);
  if (isNotYet(at, options))
    return sayNotYet(at, { project: projectStatus(at, whoseStore(at).identity?.note) }, options.json);
  const nowMs = Date.now();
  const found = await readingStore(at, (store) => readStatus(at, store, nowMs));
  sayAnswer(options.json, found, () => statusLines(found, nowMs, screenWidth()));
  return 0;
};

const ABOUT = 'where the data is, how the ledger stands, what runs, and what went wrong today';

export const statusCommand = (): Command => storeCommand('status', ABOUT, AFTER, status);

// Counts today's calls by outcome for `colibri status`. At most CLI_LIMITS.lookRecords of the newest records are read.

/** The ranges of a log's records that are read: `today`, and `near`, in which calls without an outcome are searched. */
const rangesOf = async (tx: ReadTx, log: LogInfo, nowMs: number, most: number) => {
  const { base, size } = log;
  const first = await recordsBefore(tx, log, new Date(midnight(nowMs)).toISOString());
  const near = Math.max(0, size - most);
  return {
    today: { from: base + Math.max(first, near), to: base + size },
    near: { from: base + near, to: base + size },
    cutAt: near > first ? ((await recordTime(tx, base + near)) ?? null) : null,
  };
};

/** Counts today's calls in all logs. The most records that are read are divided equally among the logs. */
const callsToday = async (tx: ReadTx, logs: readonly LogInfo[], alive: ReadonlySet<string>, nowMs: number) => {
  const most = Math.floor(CLI_LIMITS.lookRecords / Math.max(1, logs.length));
  /** How many calls ended with each outcome other than ok. */
  const outcomes: Record<string, number> = {};
  let [ended, running, unknown] = [0, 0, 0];
  let cut: string | null = null;
  for (const log of logs) {
    const { today, near, cutAt } = await rangesOf(tx, log, nowMs, most);
    ended += await countEnded(tx, today);
    for (const row of await recordsBetween(tx, today, [isTrouble])) {
      const call = callView(row, alive);
      const outcome = shownOutcome(call);
      if (outcome === 'ok') continue; // another provider of the route answered well
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (call.unknown) unknown += 1;
    }
    for (const row of await recordsBetween(tx, near, [isOpen])) {
      const call = callView(row, alive);
      if (call.outcome === 'running') running += 1;
      else if (call.unknown) unknown += 1;
    }
    if (cutAt !== null && (cut === null || cutAt > cut)) cut = cutAt;
  }
  return {
    ended,
    outcomes,
    running,
    /** How many calls may or may not have had their effect: today's, and those that dead processes left without an outcome. */
    unknown,
    /** The time from which calls are counted, if today has more records than are read; else null. */
    counted_since: cut as string | null,
  };
};
