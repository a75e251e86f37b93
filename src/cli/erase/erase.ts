// The command `colibri erase`: asks the user, removes the contents of thoughts and calls for good, and records the erasure.
import type { Command } from 'commander';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { findThought } from '../../domains/trail/repository.js';
import { recoverJournals } from '../../ledger/calls/recover.js';
import { type EraseState, type EraseTarget, eraseContents, eraseState, traceOf } from '../../ledger/erase.js';
import { assertNotRolledBack } from '../../ledger/heads.js';
import { storeIdOf } from '../../ledger/identity.js';
import { ownLogOf } from '../../ledger/own-log.js';
import type { RecordPlace } from '../../ledger/prove.js';
import { asName } from '../../redact/redact.js';
import type { ReadTx, Store } from '../../store/store.js';
import { emptyServerLogs } from '../../switchboard/config/server-log-place.js';
import { ownLog, readingOnce, writingStore } from '../access.js';
import { checkedReason, confirmed } from '../confirm.js';
import { leftoversOf } from '../leftovers.js';
import { CLI_LIMITS } from '../limits.js';
import { fileOf, findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { type FoundCall, findCalls, type SearchPlace } from '../records/call-find.js';
import { callView, serversOf } from '../records/call-view.js';
import { type LogRow, outcomeOf, recordById } from '../records/log-repository.js';
import { logInfo } from '../records/record-repository.js';
import { errorWordsAt, stderrLines } from '../records/words.js';
import { storeCommand } from '../run.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { signRemoval } from '../signing.js';
import { parseTarget, placeOfTarget, wrong } from '../target.js';
import { sameWordsNear } from './same-words.js';

const AFTER = `
Removes, for good, the content of thoughts, the kept arguments of calls, what
was said about their errors, and what a server said when its health changed; the
logs of the servers that said it are emptied, too.
Hashes, digests and records stay, so every proof and every verification stays
valid; an \`erase\` record says what was erased, why and by whom. Titles and
descriptions of tasks are part of the evidence and cannot be erased.

  colibri erase 0199a2f4-… --reason "held a customer's address"
                           the content of a thought
  colibri erase 3b241101-… --reason "a password"
                           the arguments of a call, and the words of its error
  colibri erase 9f3c/17 --reason "a password"
                           the same, by either of the call's two records, or
                           what is kept beside a record of kind health
  colibri erase definition:4be2… --reason "a name"
                           what models were told about a tool
  colibri erase 105 --reason "a password"
                           the same where only one log has a record 105

Exit codes: 0 erased, or erased before; 1 failed, and nothing was changed;
130 interrupted at the question, and nothing was changed.`;

/** May stand before the place of a record. */
const PAYLOAD = 'payload:';
const DEFINITION = 'definition:';
const TAKES = `a thought id, a call id (both are in the answers and receipts), <log>/<seq> of a call or of a transition of a server, or ${DEFINITION}<digest> of a tool`;

const payloadOf = (log: string, seq: number): EraseTarget => ({ type: 'payload', id: `${log}/${seq}` });

/** What an argument of the command names. The records of a call that is named by its id are searched later. */
type Named =
  | { readonly type: 'kept'; readonly kept: readonly EraseTarget[] }
  | { readonly type: 'call'; readonly id: string };

/** The contents that are kept beside the records of a call: its arguments, and what was said about its error, also where a server's health has it. */
const keptOfCall = async (tx: ReadTx, { log_id, seq }: LogRow): Promise<readonly EraseTarget[]> => {
  const asked = payloadOf(log_id, seq);
  const outcome = await outcomeOf(tx, log_id, seq);
  const words =
    outcome === undefined
      ? []
      : [outcome.seq, ...(await sameWordsNear(tx, outcome))].map((own) => payloadOf(log_id, own));
  const states = await Promise.all([asked, ...words].map((target) => eraseState(tx, target)));
  const kept = [asked, ...words].filter((_, i) => states[i] !== 'none');
  return kept.length === 0 ? [asked] : kept;
};

/** What is kept beside a record, and if the record is of a call, beside its other record. Contents may be left even if the record is gone. */
const keptAt = async (tx: ReadTx, { log, seq }: RecordPlace): Promise<readonly EraseTarget[] | undefined> => {
  const { base = 0 } = (await logInfo(tx, log)) ?? {};
  const row = await recordById(tx, base + seq);
  if (row === undefined || row.kind === 'health') return [payloadOf(log, seq)];
  if (row.kind !== 'call.enter' && row.kind !== 'call.exit') return undefined;
  const intent = row.kind === 'call.enter' ? row : await recordById(tx, base + callView(row, new Set()).sequence_no);
  return intent === undefined ? [payloadOf(log, seq)] : keptOfCall(tx, intent);
};

const namedBy = async (tx: ReadTx, text: string): Promise<Named> => {
  if (text.startsWith(DEFINITION))
    return { type: 'kept', kept: [{ type: 'definition', id: text.slice(DEFINITION.length) }] };
  const target = parseTarget(text.startsWith(PAYLOAD) ? text.slice(PAYLOAD.length) : text, TAKES);
  if (target.kind === 'place') {
    const kept = await keptAt(tx, await placeOfTarget(tx, target));
    if (kept !== undefined) return { type: 'kept', kept };
    throw wrong(`${text} is a record that keeps nothing beside it; nothing was erased.`, `Give ${TAKES}.`);
  }
  const thought = await findThought(tx, target.id);
  return thought === undefined
    ? { type: 'call', id: target.id }
    : { type: 'kept', kept: [{ type: 'thought', id: target.id }] };
};

const ofCall = (tx: ReadTx, id: string, call: FoundCall | undefined): Promise<readonly EraseTarget[]> => {
  if (call !== undefined) return keptOfCall(tx, call.intent);
  throw wrong(
    `The store has no thought and no call ${id}; nothing was erased.`,
    'Is the thought or call in another store?',
  );
};

/** The targets that the command's arguments name. All calls are searched at once, because a search may read the whole store. */
const targetsOf = async (place: SearchPlace, texts: readonly string[]): Promise<EraseTarget[]> => {
  const named: Named[] = [];
  for (const text of texts) named.push(await namedBy(place.tx, text));
  const ids = named.flatMap((one) => (one.type === 'call' ? [one.id] : []));
  const calls = await findCalls(place, ids);
  const targets: EraseTarget[] = [];
  for (const one of named)
    targets.push(...(one.type === 'kept' ? one.kept : await ofCall(place.tx, one.id, calls.get(one.id))));
  return targets;
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

const LABELS: Readonly<Record<EraseTarget['type'], string>> = {
  thought: 'the content of thought',
  payload: 'what is kept beside record',
  definition: 'the definition of a tool with the digest',
};

const label = ({ type, id }: EraseTarget): string => plain(`${LABELS[type]} ${id}`);

const find = (at: StoreAt, texts: readonly string[]) =>
  readingOnce(at, async (tx) => {
    const targets = await targetsOf({ tx, path: fileOf(at) }, texts);
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

/** The servers whose stderr is kept beside a record: of a health transition its server; of a call during which a server ended, those that were tried. */
const serversAt = async (tx: ReadTx, { type, id }: EraseTarget): Promise<readonly string[]> => {
  const [log = '', seq] = id.split('/');
  const base = type === 'payload' ? (await logInfo(tx, log))?.base : undefined;
  const row = base === undefined ? undefined : await recordById(tx, base + Number(seq));
  if (row?.kind === 'health') return [(JSON.parse(row.body) as { server: string }).server];
  if (row?.kind !== 'call.exit') return [];
  const lines = stderrLines(await errorWordsAt(tx, row));
  return lines.length > 0 ? serversOf(callView(row, new Set())) : [];
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
        for (const server of await serversAt(tx, target)) servers.add(server);
      }
      const erasure = { log: ownLogOf(at.keys, log), at: isoClock()(), reason, by: asName(at.user) };
      return { erased: there, record: { log, seq: await eraseContents(tx, erasure, there) }, traces, servers };
    },
    { sync: true },
  );

/** Moves what dead processes left in their journals into the ledger: otherwise a journal could hold what is erased. */
const emptyJournals = async (at: StoreAt, store: Store): Promise<void> => {
  const { id, storeId } = await store.read(async (tx) => ({ id: await ownLog(tx, at), storeId: await storeIdOf(tx) }));
  const { machineBoot, folderOf } = at.journals;
  await recoverJournals(
    { store, log: ownLogOf(at.keys, id), now: isoClock() },
    { machineBoot, folder: folderOf(storeId) },
  );
};

const work = (at: StoreAt, targets: readonly EraseTarget[], reason: string): Promise<Erased> =>
  writingStore(
    at,
    async (store) => {
      await emptyJournals(at, store);
      const erased = await erase(at, store, targets, reason);
      if (erased.record !== undefined) await signRemoval(at, store, erased.record.log);
      return erased;
    },
    { takesOut: true },
  );

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
    .argument('<what...>', 'thought ids, call ids, <log>/<seq>, <seq>, definition:<digest>')
    .requiredOption('--reason <text>', 'why; it is recorded')
    .option('--yes', 'do not ask');
