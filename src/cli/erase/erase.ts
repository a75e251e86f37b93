// The command `colibri erase`: asks the user, removes the contents of thoughts and calls for good, and records the erasure.
import type { Command } from 'commander';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { findThought } from '../../domains/trail/repository.js';
import { recoverJournals } from '../../ledger/calls/recover.js';
import { type EraseState, type EraseTarget, eraseContents, eraseState, traceOf } from '../../ledger/erase.js';
import { assertNotRolledBack } from '../../ledger/heads.js';
import { ownLogOf } from '../../ledger/own-log.js';
import type { RecordPlace } from '../../ledger/prove.js';
import { asName } from '../../redact/redact.js';
import type { ReadTx, Store } from '../../store/store.js';
import { emptyServerLogs } from '../../switchboard/config/server-log-place.js';
import { ownLog, readingOnce, writingStore } from '../access.js';
import { checkedReason, confirmed } from '../confirm.js';
import { leftoversOf } from '../leftovers.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { type FoundCall, findCalls, type SearchPlace } from '../records/call-find.js';
import { callView } from '../records/call-view.js';
import { recordById } from '../records/log-repository.js';
import { logInfo } from '../records/record-repository.js';
import { storeCommand } from '../run.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { signRemoval } from '../signing.js';
import { parseTarget, placeOfTarget, wrong } from '../target.js';

const AFTER = `
Removes, for good, the content of thoughts, the kept arguments of calls and what
a server said when its health changed; the log of that server is emptied, too.
Hashes, digests and records stay, so every proof and every verification stays
valid; an \`erase\` record says what was erased, why and by whom. Titles and
descriptions of tasks are part of the evidence and cannot be erased.

  colibri erase 0199a2f4-… --reason "held a customer's address"
                           the content of a thought
  colibri erase 3b241101-… --reason "a password"
                           the arguments of a call
  colibri erase payload:9f3c/17 --reason "a password"
                           the same, by either of the call's two records, or
                           what is kept beside a record of kind health

Exit codes: 0 erased, or erased before; 1 failed, and nothing was changed;
130 interrupted at the question, and nothing was changed.`;

const PAYLOAD = 'payload:';
const TAKES = `a thought id, a call id (both are in the answers and receipts), or ${PAYLOAD}<log>/<seq> of a call or of a transition of a server`;

const payloadOf = (log: string, seq: number): EraseTarget => ({ type: 'payload', id: `${log}/${seq}` });

/** What an argument of the command names. For a call, the record that holds its arguments is searched later. */
type Named = EraseTarget | { readonly type: 'call'; readonly id: string };

/** The kinds of records that have contents (payloads) stored beside them. */
const KEEPING: readonly string[] = ['call.enter', 'health'];

/** The payload to erase for a record. A call's arguments are stored with its intent; they may be left even if the record is gone. */
const intentAt = async (tx: ReadTx, { log, seq }: RecordPlace): Promise<EraseTarget | undefined> => {
  const { base = 0 } = (await logInfo(tx, log)) ?? {};
  const row = await recordById(tx, base + seq);
  if (row === undefined || KEEPING.includes(row.kind)) return payloadOf(log, seq);
  return row.kind === 'call.exit' ? payloadOf(log, callView(row, new Set()).sequence_no) : undefined;
};

const namedBy = async (tx: ReadTx, text: string): Promise<Named> => {
  const isPayload = text.startsWith(PAYLOAD);
  const target = parseTarget(isPayload ? text.slice(PAYLOAD.length) : text, TAKES);
  if (target.kind === 'place') {
    const intent = await intentAt(tx, await placeOfTarget(tx, target));
    if (isPayload && intent !== undefined) return intent;
    if (isPayload)
      throw wrong(`${text} is a record that keeps nothing beside it; nothing was erased.`, `Give ${TAKES}.`);
    const works =
      intent === undefined ? `Give ${TAKES}.` : `Give ${PAYLOAD}${text} to erase what is kept beside the record.`;
    throw wrong('A record cannot be erased, only what is kept beside it.', works);
  }
  const thought = await findThought(tx, target.id);
  return { type: thought === undefined ? 'call' : 'thought', id: target.id };
};

const ofCall = (id: string, call: FoundCall | undefined): EraseTarget => {
  if (call !== undefined) return payloadOf(call.intent.log_id, call.intent.seq);
  throw wrong(
    `The store has no thought and no call ${id}; nothing was erased.`,
    'Is the thought or call in another store?',
  );
};

/** The targets that the command's arguments name. All calls are searched at once, because a search may read the whole store. */
const targetsOf = async (place: SearchPlace, texts: readonly string[]): Promise<EraseTarget[]> => {
  const named: Named[] = [];
  for (const text of texts) named.push(await namedBy(place.tx, text));
  const ids = named.filter(({ type }) => type === 'call').map(({ id }) => id);
  const calls = await findCalls(place, ids);
  return named.map(({ type, id }) => (type === 'call' ? ofCall(id, calls.get(id)) : { type, id }));
};

/** Sorts the targets by whether their contents are there or were erased before; throws if a target never had contents. */
const sorted = async (tx: ReadTx, targets: readonly EraseTarget[]) => {
  const by: Record<EraseState, EraseTarget[]> = { there: [], erased: [], none: [] };
  for (const target of targets) by[await eraseState(tx, target)].push(target);
  const [none] = by.none;
  if (none === undefined) return by;
  throw wrong(
    `Nothing is kept of ${label(none)}; nothing was erased.`,
    'Only contents that are kept beside the records can be erased.',
  );
};

const label = ({ type, id }: EraseTarget): string =>
  plain(type === 'thought' ? `the content of thought ${id}` : `what is kept beside record ${id}`);

const find = (at: StoreAt, texts: readonly string[]) =>
  readingOnce(at, async (tx) => {
    const targets = await targetsOf({ tx, path: at.path }, texts);
    const once = new Map(targets.map((target) => [`${target.type} ${target.id}`, target]));
    return sorted(tx, [...once.values()]);
  });

interface Erased {
  readonly erased: readonly EraseTarget[];
  readonly record: RecordPlace | undefined;
  /** The erased contents as byte strings, which must no longer be in any file of the store. */
  readonly traces: readonly string[];
  /** The servers whose words were erased. Their logs hold the same words. */
  readonly servers: ReadonlySet<string>;
}

const NONE: Erased = { erased: [], record: undefined, traces: [], servers: new Set() };

/** The server that a record of kind health is about, if the target is what is kept beside such a record. */
const serverOf = async (tx: ReadTx, { type, id }: EraseTarget): Promise<string | undefined> => {
  const [log = '', seq] = id.split('/');
  const base = type === 'payload' ? (await logInfo(tx, log))?.base : undefined;
  const row = base === undefined ? undefined : await recordById(tx, base + Number(seq));
  return row?.kind === 'health' ? (JSON.parse(row.body) as { server: string }).server : undefined;
};

/** Erases the contents, except those that another process has erased in the meantime. */
const erase = (at: StoreAt, store: Store, targets: readonly EraseTarget[], reason: string): Promise<Erased> =>
  store.write(
    async (tx) => {
      const log = await ownLog(tx, at);
      await assertNotRolledBack(tx, at.heads, log);
      const { there } = await sorted(tx, targets);
      if (there.length === 0) return NONE;
      const traces: string[] = [];
      const servers = new Set<string>();
      for (const target of there) {
        traces.push(await traceOf(tx, target));
        const server = await serverOf(tx, target);
        if (server !== undefined) servers.add(server);
      }
      const erasure = { log: ownLogOf(at.keys, log), at: isoClock()(), reason, by: asName(at.user) };
      return { erased: there, record: { log, seq: await eraseContents(tx, erasure, there) }, traces, servers };
    },
    { sync: true },
  );

/** Moves what dead processes left in their journals into the ledger: otherwise a journal could hold what is erased. */
const emptyJournals = async (at: StoreAt, store: Store): Promise<void> => {
  const log = ownLogOf(at.keys, await store.read((tx) => ownLog(tx, at)));
  await recoverJournals({ store, log, now: isoClock() }, at.journals);
};

const work = (at: StoreAt, targets: readonly EraseTarget[], reason: string): Promise<Erased> =>
  writingStore(at, async (store) => {
    await emptyJournals(at, store);
    const erased = await erase(at, store, targets, reason);
    if (erased.record !== undefined) await signRemoval(at, store, erased.record.log);
    return erased;
  });

/** Empties the logs of servers, and says what became of them. The erasure is recorded already, so a file that stays is no failure. */
const emptiedLogs = (at: StoreAt, servers: ReadonlySet<string>): string[] =>
  [...servers].flatMap((server) => {
    const { emptied, left } = emptyServerLogs(at.config.directories.state, server);
    return [
      ...(emptied > 0 ? [`The log of server ${plain(server)} was emptied: it held the same words.`] : []),
      ...left.map((file) => `A log of server ${plain(server)} could not be emptied: ${plain(file)}`),
    ];
  });

interface EraseOptions extends PlaceOptions {
  readonly reason: string;
  readonly yes?: true;
}

const show = ({ erased, record }: Erased, notes: readonly string[]): void => {
  for (const target of erased) say(`erased ${label(target)}`);
  if (record !== undefined) say(plain(`recorded as ${record.log}/${record.seq}; every proof stays valid`));
  for (const note of notes) say(note);
};

const run = async (texts: readonly string[], options: EraseOptions): Promise<number> => {
  const reason = checkedReason(options.reason);
  if (texts.length > CLI_LIMITS.eraseTargets)
    throw wrong(
      `More than ${CLI_LIMITS.eraseTargets} thoughts and calls were named.`,
      'Erase the thoughts and calls in several steps.',
    );
  const at = findStore(options);
  const { there: targets, erased: already } = await find(at, texts);
  if (!options.json) for (const target of already) say(`erased before: ${label(target)}`);
  if (targets.length > 0 && options.yes !== true) {
    for (const target of targets) tell(`  ${label(target)}`);
    if (!(await confirmed(`Erase ${count(targets.length, 'content')} for good?`))) {
      tell('Nothing was erased.');
      return EXIT_FAILED;
    }
  }
  const done = targets.length === 0 ? NONE : await work(at, targets, reason);
  const notes = done.erased.length === 0 ? [] : [...emptiedLogs(at, done.servers), ...leftoversOf(at, done.traces)];
  if (options.json) sayJson({ erased: done.erased, record: done.record ?? null, already, notes });
  else show(done, notes);
  return 0;
};

export const eraseCommand = (): Command =>
  storeCommand('erase', 'erase contents for good; every proof stays valid', AFTER, run)
    .argument('<what...>', 'thought ids, call ids, payload:<log>/<seq>')
    .requiredOption('--reason <text>', 'why; it is recorded')
    .option('--yes', 'do not ask');
