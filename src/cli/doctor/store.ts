// The checks of the store: whether it opens and is undamaged, its key, its signed heads, the processes that use it and the servers behind them.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { count } from '../../core/figures.js';
import { logsCommand } from '../../core/logs-command.js';
import { bindingOf, copyText, earlierStoreText } from '../../ledger/binding.js';
import { assertAuthenticHead, isBrokenLog } from '../../ledger/head.js';
import { LEDGER_LIMITS } from '../../ledger/limits.js';
import { lostLogs } from '../../ledger/lost-logs.js';
import { openLogOf } from '../../ledger/open.js';
import { ownLogWithKey } from '../../ledger/own-log.js';
import type { Look } from '../../store/sqlite/look.js';
import type { ReadTx, Store } from '../../store/store.js';
import { headsOfFolder } from '../../verify/heads/heads.js';
import { readingStore } from '../access.js';
import type { KnownInstance } from '../instances-repository.js';
import type { StoreAt } from '../place.js';
import { openCalls, processesOf, type ServerStatus, serverStates } from '../processes.js';
import { allLogs, type LogInfo, logInfo } from '../records/record-repository.js';
import { bytesText } from '../screen/bytes.js';
import { ago } from '../screen/time.js';
import { keyRights } from './disk.js';
import { type Check, type DoctorFinding, ok, openable, problem, type Scene, warning } from './scene.js';

export const store: Check = ({ at, noStore, look, server }) => {
  if (noStore !== undefined) return [noStore];
  const seen = look ?? server;
  if (at === undefined || seen === undefined) return [];
  if ('state' in seen && seen.state === 'warning') return [seen]; // only a warning: the store does not exist yet
  const place = server === undefined ? at.path : at.site.path;
  return [ok(`${place} (${at.rule})`), 'state' in seen ? seen : schemaOf(seen, at.engine)];
};

const UPGRADES = {
  sqlite: 'Start `colibri serve` once: it makes a backup and upgrades the store.',
  postgres:
    'Start `colibri serve` once with the address of the owner, then give the rights again (docs/postgres.md, steps 3 and 4).',
} as const;

const schemaOf = ({ version, newest }: Pick<Look, 'version' | 'newest'>, engine: StoreAt['engine']): DoctorFinding => {
  if (version === newest) return ok(`opens, schema ${version}`);
  const message = version === 0 ? 'the database holds no store yet' : `schema ${version}, this Colibri has ${newest}`;
  return warning(message, UPGRADES[engine]);
};

export const file: Check = ({ look }) => {
  if (look === undefined || 'state' in look) return [];
  const { damage, isWhole, space } = look;
  if (damage !== undefined) {
    return [problem(`the file is damaged: ${damage}`, 'colibri verify says where; restore a backup.')];
  }
  const size = `${bytesText(space.bytes)}, ${bytesText(space.free)} of them free`;
  return [
    ok(isWhole ? `${size}; sound` : `${size}; the file is too large to be checked here; colibri verify checks it`),
  ];
};

const withStore = async (scene: Scene, look: (at: StoreAt, store: Store) => Promise<readonly DoctorFinding[]>) => {
  const at = openable(scene);
  return at === undefined ? [] : readingStore(at, (opened) => look(at, opened));
};

const ownLogOf = (at: StoreAt, opened: Store): Promise<LogInfo | undefined> =>
  opened.read(async (tx) => {
    const log = await openLogOf(tx, at.node);
    return log === undefined ? undefined : logInfo(tx, log);
  });

const keyOf = (at: StoreAt, log: string): DoctorFinding => {
  const path = at.keyFile ?? join(at.keysDir, log);
  const remedy = `Put the key of log ${log} back at ${path}; otherwise the next start closes the log and begins a new one.`;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return problem(`there is no key at ${path}`, remedy);
  if (!stats.isFile()) return problem(`${path} is not a file`, remedy);
  return at.keys.find(log) === undefined
    ? problem(`${path} is the key of another log`, remedy)
    : ok(`${path} signs log ${log}`);
};

/** A finding if the log's head was not written with the log's key: then no server starts here. */
const forgedHead = (at: StoreAt, opened: Store, log: string): Promise<readonly DoctorFinding[]> =>
  opened.read(async (tx) => {
    const found = at.keys.find(log);
    try {
      if (found !== undefined) await assertAuthenticHead(tx, ownLogWithKey(log, found));
      return [];
    } catch (thrown) {
      if (!isBrokenLog(thrown)) throw thrown;
      return [problem(thrown.message, 'colibri verify says what was added. Restore a backup.')];
    }
  });

export const key: Check = (scene) =>
  withStore(scene, async (at, opened) => {
    const own = await ownLogOf(at, opened);
    if (own !== undefined) {
      const log = own.log_id;
      return [keyOf(at, log), ...keyRights(at, log), ...(await forgedHead(at, opened, log))];
    }
    const rights = scene.server !== undefined && 'rights' in scene.server ? scene.server.rights : undefined;
    if (rights?.writes === false) return [ok('this role writes nothing, so it needs no log')];
    return [warning(`the store has no open log of ${at.node}`, 'The next start of `colibri serve` opens a log.')];
  });

/**
 * Findings about files that have the name of a signed head but are not signed heads; the comparison of store and heads ignores such files.
 */
const badHeads = async (at: StoreAt, opened: Store): Promise<readonly DoctorFinding[]> => {
  const logs = (await opened.read(allLogs)).map(({ log_id }) => log_id);
  const { bad } = headsOfFolder(at.headsDir, logs);
  return bad.map(({ message }) =>
    problem(message, 'Move the file away; if it was a signed head before, put a copy of that head back.'),
  );
};

/** Findings from comparing the store with its signed heads: it is a copy, it lacks a log, or another store was at its path before. */
const boundOf = async (at: StoreAt, opened: Store): Promise<readonly DoctorFinding[]> => {
  const binding = await opened.read((tx) => bindingOf(tx, at.heads, at.site));
  const { copyOf, missing } = binding;
  if (copyOf !== undefined) return [problem(copyText(copyOf), `Use the store at ${copyOf}, or run: colibri restore`)];
  const gone = missing.map(({ log, size }) =>
    problem(
      `log ${log}, of which ${size} records were signed, is not in the store`,
      'colibri restore shows what is missing and puts a backup in place; colibri accept-loss accepts the loss.',
    ),
  );
  const earlier = earlierStoreText(binding);
  return earlier === undefined
    ? gone
    : [...gone, problem(earlier, 'colibri restore shows it; colibri accept-loss accepts it.')];
};

const headsOf = async (at: StoreAt, opened: Store): Promise<readonly DoctorFinding[]> => {
  const bound = await boundOf(at, opened);
  if (bound.length > 0) return bound;
  const lost = await opened.read((tx) => lostLogs(tx, at));
  if (lost.length > 0) {
    const told = lost.map(({ log, size, known }) => `log ${log} has ${size}, ${known.size} were signed`).join('; ');
    const remedy =
      'colibri restore shows what is missing and puts a backup in place; colibri accept-loss accepts the loss.';
    return [problem(`the store is older than its signed heads: ${told}`, remedy)];
  }
  const own = await ownLogOf(at, opened);
  if (own === undefined) return [];
  const signed = at.heads.largest(own.log_id);
  if (signed === 0) {
    return [warning(`no head of log ${own.log_id} in ${at.headsDir}: a rollback would not show`, 'colibri checkpoint')];
  }
  const message = `signed up to ${signed} of ${count(own.size, 'record')}, in ${at.headsDir}`;
  const isBehind = own.size - signed > LEDGER_LIMITS.recordsPerCheckpoint;
  return [isBehind ? warning(message, 'Run colibri checkpoint; if it fails it says why.') : ok(message)];
};

export const heads: Check = (scene) =>
  withStore(scene, async (at, opened) => [...(await badHeads(at, opened)), ...(await headsOf(at, opened))]);

/** The finding about dead processes of one machine and user; `node` is undefined if that is who runs this. */
const deadOnes = (dead: number, calls: number, node: string | undefined): DoctorFinding => {
  const who = `${count(dead, 'process', 'processes')}${node === undefined ? '' : ` of ${node}`}`;
  const open =
    calls === 0 ? 'no call seems to be open because of it' : `at least ${count(calls, 'call is', 'calls are')} open`;
  const server = node === undefined ? 'A running server' : 'A running server of that machine and user';
  const remedy = `${server} closes these calls within a minute, otherwise the next one that starts${node === undefined ? '' : ' there'}.`;
  return warning(`${who} died without shutting down; ${open}`, remedy);
};

/** The findings about dead processes. Only a process of the same machine and user closes their calls: it has the key of their log. */
const allDeadOnes = async (tx: ReadTx, dead: readonly KnownInstance[], own: string): Promise<DoctorFinding[]> => {
  const found: DoctorFinding[] = [];
  for (const node of new Set(dead.map((one) => one.node))) {
    const some = dead.filter((one) => one.node === node);
    found.push(deadOnes(some.length, await openCalls(tx, some), node === own || node === null ? undefined : node));
  }
  return found;
};

/** The finding about calls that never get an outcome; not a warning, because nothing can be done about them. */
const endedOnes = (calls: number): DoctorFinding[] => {
  const message = `at least ${count(calls, 'call')} of a log that was closed (colibri accept-loss) had no outcome, and never will: colibri log --outcome lost`;
  return calls === 0 ? [] : [ok(message)];
};

export const processes: Check = (scene) =>
  withStore(scene, async (at, opened) => {
    const { alive, dead, ended } = await processesOf(opened);
    const pids = alive.map(({ pid }) => pid).join(', ');
    const running = alive.length === 0 ? 'no server runs' : `${count(alive.length, 'server')} running: process ${pids}`;
    return opened.read(async (tx) => [
      ok(running),
      ...(await allDeadOnes(tx, dead, at.node)),
      ...endedOnes(await openCalls(tx, ended)),
    ]);
  });

/** The states in which an MCP server behind a running Colibri process gets no calls. */
const OUT: readonly string[] = ['UNHEALTHY', 'QUARANTINE'];

const outText = ({ server, pid, state, since, reason }: ServerStatus, several: boolean, nowMs: number): string => {
  const where = several ? ` in process ${pid}` : '';
  return `server ${server} has been in ${state} for ${ago(since, nowMs)} (since ${since})${where}${reason === null ? '' : `: ${reason}`}`;
};

const remedyFor = ({ server }: ServerStatus): string =>
  `It gets no calls until it is healthy: see its output with ${logsCommand(server)}, and its history with colibri log --kind health --server ${server}`;

export const servers: Check = (scene) =>
  withStore(scene, async (_, opened) => {
    const { alive } = await processesOf(opened);
    const states = await opened.read((tx) => serverStates(tx, alive));
    const out = states.filter(({ state }) => OUT.includes(state));
    if (out.length > 0) return out.map((one) => warning(outText(one, alive.length > 1, Date.now()), remedyFor(one)));
    return states.length === 0 ? [] : [ok(`${count(states.length, 'server')}, none is out of service`)];
  });
