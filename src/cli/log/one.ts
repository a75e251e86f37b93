// `colibri log <record>`: shows one call in full: its arguments, its outcome, what it changed and how to prove its record.
import { isoClock } from '../../core/clock.js';
import { figure } from '../../core/figures.js';
import { coveringCheckpoint } from '../../ledger/prove.js';
import { parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import { approvalsOfCall } from '../../switchboard/records/approval-repository.js';
import { approvalJson, approvalSentence } from '../approvals/shown.js';
import { type CallView, callView, errorRow, IS_ERROR, shownOutcome, wholeBody } from '../records/call-view.js';
import { definitionText, payloadAt, type RecordedThought, recordById, thoughtsAt } from '../records/log-repository.js';
import { errorWordsAt, WORDS_GONE, type WordsView, wordsText } from '../records/words.js';
import { field, indented } from '../screen/fields.js';
import { paint, plain } from '../screen/print.js';
import { stamp, took } from '../screen/time.js';
import { cut } from '../screen/width.js';
import { outcomeColour, type PlaceName, sentenceOf } from './line.js';
import type { FoundRecord } from './record.js';

const proofOf = async (tx: ReadTx, log: string, seq: number) => ({
  log,
  seq,
  /** How many records the newest signed checkpoint covers, if this record is one of them; else null. */
  covered_by: (await coveringCheckpoint(tx, { log, seq }))?.size ?? null,
});

/** How the arguments of a call are kept, as the record of its start says; `gone` if they were stored and later erased or pruned. */
const keptOf = (said: unknown, json: string | null) => {
  const kept = typeof said === 'string' ? said : 'none';
  if (kept !== 'stored') return { kept, json: null };
  return json === null ? { kept: 'gone', json: null } : { kept, json: parseObject(json) };
};

/** What the model was told about the tool. `kept`: whether the text is stored, was erased, or is not in the store. */
const shownDefinition = async (tx: ReadTx, { definition: digest, unlisted }: CallView) => {
  if (digest === null) return null;
  const text = await definitionText(tx, digest);
  const kept = text === undefined ? 'missing' : text === null ? 'erased' : 'stored';
  return { digest, unlisted, kept, shown: text ? parseObject(text) : null } as const;
};

type ShownDefinition = Awaited<ReturnType<typeof shownDefinition>>;

/** The approvals that the call asked for or used: as programs get them, and as a sentence. */
const shownApprovals = async (tx: ReadTx, { call }: CallView, at: string) =>
  (await approvalsOfCall(tx, call)).map((row) => ({ ...approvalJson(row, at), said: approvalSentence(row, at) }));

export const readCall = async (tx: ReadTx, { log, row }: FoundRecord, alive: ReadonlySet<string>) => {
  const call = callView(row, alive);
  const enter = row.intent ?? (await recordById(tx, log.base + call.sequence_no))?.body ?? '{}';
  return {
    call,
    leaf: row.leaf,
    arguments: keptOf(parseObject(enter).args, await payloadAt(tx, call.log, call.sequence_no)),
    definition: await shownDefinition(tx, call),
    words: await errorWordsAt(tx, row),
    approvals: await shownApprovals(tx, call, isoClock()()),
    thoughts: await thoughtsAt(tx, call.log, call.seq),
    proof: await proofOf(tx, call.log, call.seq),
  };
};

const ARGUMENTS: Readonly<Record<string, string>> = {
  stored: 'kept; secrets are replaced, texts that the tool keeps in its own tables are left out',
  digest: 'only their digest is kept (COLIBRI_AUDIT_PAYLOADS=digest)',
  empty: 'none were given, or none but texts that the tool keeps in its own tables',
  none: 'not kept',
  gone: 'erased or pruned; their digest stays in the record. Why: colibri log --kind erase --kind prune',
};

const DEFINITIONS: Readonly<Record<NonNullable<ShownDefinition>['kept'], string>> = {
  stored: 'what the model was told about the tool',
  erased: 'erased; its digest stays in the record',
  missing: 'not in the store: the process died before it was stored',
};

const definitionLines = (definition: ShownDefinition, width: number): string[] => {
  if (definition === null) return [];
  const { digest, unlisted, kept, shown } = definition;
  const words = unlisted ? `\nthe client never asked for the list of tools: this is what it would have been shown` : '';
  return [
    ...field('tool', `${DEFINITIONS[kept]}\ndigest ${digest}${words}`, width),
    ...(shown === null ? [] : indented(JSON.stringify(shown, null, 2), width)),
  ];
};

const outcomeText = (call: CallView): string => {
  const { outcome, code } = call;
  if (call.is_error) return `${IS_ERROR}: the server answered with an error (isError), and that was recorded as ok`;
  if (outcome === 'running') return 'running: no outcome yet';
  if (outcome === 'lost') return 'no outcome: its process died. The next server that starts records it as interrupted';
  const meaning = errorRow(code)?.meaning;
  return [outcome, code, meaning && `(${meaning})`].filter(Boolean).join(' ');
};

const DID_NOT_RUN: readonly string[] = ['rejected', 'refused'];

/** Says what effect the tool has; only the call's outcome says whether the effect happened. */
const effectText = ({ effect, outcome }: CallView): string =>
  DID_NOT_RUN.includes(outcome) ? 'none: it did not run' : (effect ?? 'not recorded');

const clientText = ({ client, host }: CallView): string => {
  const who = client === null ? 'unknown' : `${client.name} ${client.version}, protocol ${client.protocol}`;
  const more = Object.entries(host ?? {}).map(([key, value]) => `${key} ${value}`);
  return [who, ...more].join(', ');
};

/** Says that several transitions, or several new tasks, came with one call: nobody can tell when each of them happened. */
const together = ({ tool, changes, subjects }: CallView): string[] => {
  const tasks = tool === 'task_create' ? subjects.filter(({ type }) => type === 'task').length : 0;
  if (changes.length > 1) return [`${changes.length} steps, recorded together`];
  return tasks > 1 ? [`${tasks} tasks, recorded together`] : [];
};

const changeText = (call: CallView): string => {
  const rows = call.subjects.map(({ type, id, rev }) => `${type} ${id} (revision ${rev})`);
  const moved = call.changes.map(({ task_id, from, to, attempt }) => `${task_id}: ${from} → ${to}, attempt ${attempt}`);
  return [...together(call), ...moved, ...rows].join('\n') || 'nothing';
};

const thoughtText = ({ type, agent_id, content }: RecordedThought): string =>
  `${type}${agent_id === null ? '' : ` by ${agent_id}`}: ${content ?? '(erased; its hash stays)'}`;

/** `named`: how `colibri prove` is told what to prove. */
const proofText = ({ covered_by }: Awaited<ReturnType<typeof proofOf>>, named: string): string =>
  [
    `colibri prove ${named}`,
    covered_by === null
      ? 'not signed yet; the command signs first'
      : `covered by the signature over ${figure(covered_by)} records`,
  ].join('\n');

const timeText = ({ began_at, duration_us, late }: CallView): string =>
  `${stamp(began_at)}${duration_us === null ? '' : `, took ${took(duration_us)}`}${late ? '; answered before it was recorded' : ''}`;

/** The title line of a call; a tool name that is wider than the screen is cut. */
const titleLine = (call: CallView, width: number): string => {
  const [tool, outcome] = [call.tool, shownOutcome(call)];
  const [end, room] = [plain(outcome), width - plain(outcome).length - 2];
  return `${paint('bold', cut(plain(tool), room))}  ${paint(outcomeColour(outcome), end)}`;
};

/** What was said about the error, and about attempts that failed before another server answered, as fields. */
const wordFields = ({ route }: CallView, words: WordsView, width: number): string[] => {
  if (words.kept !== 'stored') return words.kept === 'gone' ? field('said', WORDS_GONE, width) : [];
  return [
    ...(words.attempts ?? []).flatMap((one) =>
      field('said', `${route?.attempts[one.attempt]?.server ?? '?'}: ${wordsText(one)}`, width),
    ),
    ...(words.message === undefined ? [] : field('said', words.message, width)),
    ...(words.data === undefined ? [] : field('data', words.data, width)),
    ...(words.stderr === undefined ? [] : field('stderr', words.stderr, width)),
  ];
};

/** By its id, so that the proof has the intent and the approvals, too; a call without an outcome by the record of its intent. */
const provedBy = ({ log, seq, sequence_no, call }: CallView, placeName: PlaceName): string =>
  seq === sequence_no || call === '' ? `${placeName(log, seq)} --out record.tlog-proof` : `${call} --out call.proof`;

export const callLines = (one: Awaited<ReturnType<typeof readCall>>, placeName: PlaceName, width: number): string[] => {
  const { call, leaf, thoughts } = one;
  const { log, seq, sequence_no } = call;
  const place = seq === sequence_no ? `${log}/${seq} (intent)` : `${log}/${seq}, its intent ${sequence_no}`;
  const receipt = `log ${log}, seq ${seq}\nleaf ${leaf}\nonly the client has the salt of the result`;
  const kept = one.arguments.kept;
  return [
    titleLine(call, width),
    ...field('call', call.call, width),
    ...field('outcome', outcomeText(call), width),
    ...field('began', timeText(call), width),
    ...field('effect', effectText(call), width),
    ...field('client', clientText(call), width),
    ...field('process', call.instance ?? 'unknown', width),
    ...field('arguments', ARGUMENTS[kept] ?? kept, width),
    ...(kept === 'stored' ? indented(JSON.stringify(one.arguments.json, null, 2), width) : []),
    ...definitionLines(one.definition, width),
    ...one.approvals.flatMap(({ approval_id, said }) => field('approval', `${approval_id}: ${said}`, width)),
    ...wordFields(call, one.words, width),
    ...field('changed', changeText(call), width),
    ...thoughts.flatMap((thought) => field('thought', thoughtText(thought), width)),
    ...field('record', place, width),
    ...(seq === sequence_no ? [] : field('receipt', receipt, width)),
    ...thoughts.flatMap(({ thought_id }) => field('proof', `colibri prove ${thought_id} --out thought.proof`, width)),
    ...field('proof', proofText(one.proof, provedBy(call, placeName)), width),
    ...(call.outcome === 'ok' && call.route === null ? [] : field('why', `colibri log --explain ${call.call}`, width)),
  ];
};

/** Reads a record that is not about a call. */
export const readOther = async (tx: ReadTx, { row }: FoundRecord) => ({
  record: wholeBody(row),
  leaf: row.leaf,
  proof: await proofOf(tx, row.log_id, row.seq),
});

export const otherLines = (
  { record, leaf, proof }: Awaited<ReturnType<typeof readOther>>,
  { row }: FoundRecord,
  placeName: PlaceName,
  width: number,
): string[] => [
  paint('bold', plain(row.kind)),
  ...field('at', stamp(row.at), width),
  ...field('says', sentenceOf(row.kind, record), width),
  ...field('record', `${row.log_id}/${row.seq}`, width),
  ...field('leaf', leaf, width),
  ...field('proof', proofText(proof, `${placeName(row.log_id, row.seq)} --out record.tlog-proof`), width),
  ...indented(JSON.stringify(record, null, 2), width),
];
