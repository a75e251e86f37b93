// Reads what one record says about evidence rows, checks what can be checked without other records, and notes the rest as traces, with
// which the history of each row is checked later.
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { namesApprovals } from './approvals.js';
import { thoughtPlace } from './evidence-repository.js';
import { type ReadRecord, sayPointer, shown, subjectsOf } from './pointer.js';
import { tableOf } from './subjects.js';
import { isFollowed, type TraceList } from './trace.js';
import { exactNumber, foundRows, isRevision, movesOf, recordedMoves } from './transitions.js';

/**
 * For each type of evidence row: the kinds of records that may make a revision, and the highest revision a row may have (0 means no
 * limit).
 */
const MADE_BY: Readonly<Record<string, { readonly kinds: readonly string[]; readonly most: number }>> = {
  task: { kinds: ['call.exit', 'unassign'], most: 0 },
  lease: { kinds: ['call.exit'], most: 0 },
  thought: { kinds: ['call.exit'], most: 1 },
  session: { kinds: ['call.exit', 'seal'], most: 2 },
  catalogue: { kinds: ['catalogue'], most: 0 },
  adoption: { kinds: ['boot'], most: 1 },
  replay: { kinds: ['call.exit'], most: 1 },
  approval: { kinds: ['approval'], most: 3 },
  definition: { kinds: ['definition', 'catalogue'], most: 1 },
  round: { kinds: ['call.exit', 'decided', 'approval'], most: 0 },
  vote: { kinds: ['call.exit'], most: 1 },
  voter: { kinds: ['voter'], most: 0 },
  heard: { kinds: ['call.exit'], most: 1 },
};

/**
 * Says if a session's revision was made by the wrong record: revision 1 (open) must be made by a call, revision 2 (closed) by the
 * session's own seal.
 */
const sessionFault = (
  { kind, session_id }: ReadRecord['body'],
  { id, rev }: ReadRecord['body'],
): string | undefined => {
  const isOwn = rev === 1 ? kind === 'call.exit' : kind === 'seal' && session_id === id;
  return isOwn ? undefined : `is revision ${shown(rev)} by a record of kind ${shown(kind)}`;
};

const subjectFault = (body: ReadRecord['body'], subject: ReadRecord['body']): string | undefined => {
  const rule =
    typeof subject.type === 'string' && Object.hasOwn(MADE_BY, subject.type) ? MADE_BY[subject.type] : undefined;
  if (rule === undefined) return undefined; // a type of a later format
  if (!isRevision(subject.rev) || (rule.most > 0 && subject.rev > rule.most))
    return `is revision ${shown(subject.rev)}, which no such row has`;
  if (!rule.kinds.includes(String(body.kind))) return `is not changed by records of kind ${shown(body.kind)}`;
  return subject.type === 'session' ? sessionFault(body, subject) : undefined;
};

/** Whether a record says anything about evidence rows. */
export const concernsRows = (body: ReadRecord['body']): boolean =>
  body.kind !== 'call.enter' &&
  (body.subjects !== undefined ||
    body.changes !== undefined ||
    body.change !== undefined ||
    body.done !== undefined ||
    body.expired !== undefined ||
    body.attempt !== undefined ||
    namesApprovals(body));

/** Reads for which attempt at a task a record's thought counts, and adds the trace of it. */
const traceAttempt = (tx: StoreReading, { log, seq, body }: ReadRecord, id: number, traces: TraceList): Finding[] => {
  const { attempt } = body;
  if (typeof attempt !== 'number') return [];
  const tasks = subjectsOf(body)
    .filter((subject) => subject.type === 'thought' && typeof subject.id === 'string')
    .map((subject) => exactNumber(thoughtPlace(tx, subject.id as string)?.task_id))
    .filter((n) => n !== undefined);
  for (const n of tasks) traces.add('task', n, { kind: 'thought', rev: 0, record: id, attempt });
  const fault = 'an attempt is named, but no thought about a task was recorded';
  return tasks.length > 0 ? [] : [sayPointer('subject', { log, seq, table: 'thoughts' }, fault)];
};

/** Checks what a record says about rows, and adds an entry for each such statement to `traces`. `id` is the record's id in the store. */
export const traceRecord = (tx: StoreReading, record: ReadRecord, id: number, traces: TraceList): Finding[] => {
  const { log, seq, body } = record;
  const findings = traceAttempt(tx, record, id, traces);
  const moves = movesOf(tx, record, findings);
  for (const subject of subjectsOf(body)) {
    const { type, rev } = subject;
    const fault = subjectFault(body, subject);
    if (fault !== undefined)
      findings.push(sayPointer('subject', { log, seq, table: tableOf(type), id: shown(subject.id) }, fault));
    if (!isFollowed(type) || !isRevision(rev) || typeof subject.id !== 'string') continue;
    const row = type === 'task' || type === 'lease' ? exactNumber(subject.id) : subject.id;
    const move = type === 'task' ? moves.get(subject.id) : undefined;
    if (row !== undefined) traces.add(type, row, { kind: 'made', rev, record: id, move });
  }
  const done = foundRows(record, 'done', findings);
  for (const { n, rev } of done) traces.add('task', n, { kind: 'done', rev, record: id });
  for (const { n, rev } of foundRows(record, 'expired', findings)) {
    traces.add('lease', n, { kind: 'expired', rev, record: id });
  }
  const entersApply = recordedMoves(body).some((step) => (step as ReadRecord['body'] | null)?.to === 'APPLY');
  if (body.done !== undefined && !entersApply)
    findings.push(sayPointer('subject', { log, seq, table: 'tasks' }, 'done is named, but no task enters APPLY'));
  return findings;
};
