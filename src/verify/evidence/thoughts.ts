// Checks thoughts: each must have the hash of its fields, continue the thought before it, and hold the content that its digest names.
import { hashedFields, THOUGHT_TYPES, type ThoughtRow, thoughtHash } from '../../domains/trail/thought.js';
import { saltedDigest } from '../../ledger/hashes.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { StoreReading } from '../reading.js';
import type { Finding, Where } from '../verdict/finding.js';
import type { Erasures } from './erasures.js';
import { type StoredRow, sessionEnds, thoughtAt } from './evidence-repository.js';
import { namedBy, type ReadRecord, recordOf, sayPointer, shown, unlike } from './pointer.js';
import { isRetry, recordedMoves } from './transitions.js';
import type { Walked } from './walk.js';

/** Pairs of columns of a thought that must be both set or both null. */
const PAIRS = [
  ['skill_name', 'skill_digest'],
  ['idempotency_key', 'request_digest'],
  ['content', 'content_salt'],
] as const;

const pairFindings = (row: StoredRow, where: Where): Finding[] =>
  PAIRS.filter(([one, other]) => (row[one] === null) !== (row[other] === null)).map(([one, other]) =>
    sayPointer('row', where, `only one of ${one} and ${other} is there`),
  );

/** The hash that a thought must have. A column of a wrong type gives another hash, because canonical JSON tells types apart. */
const hashOf = (row: StoredRow): string => thoughtHash(hashedFields(row as unknown as ThoughtRow));

const isType = (value: unknown): boolean => THOUGHT_TYPES.some((type) => type === value);

const SALT = /^[0-9a-f]{32}$/;

const contentFindings = (tx: StoreReading, row: StoredRow, erased: Erasures, where: Where): Finding[] => {
  const { content, content_salt: salt } = row;
  if (content === null)
    return erased.has(tx, String(row.thought_id))
      ? []
      : [sayPointer('row', where, 'was erased, but no record says so')];
  if (typeof content !== 'string') return [sayPointer('row', where, 'content is not text')];
  if (typeof salt !== 'string' || !SALT.test(salt)) return [sayPointer('row', where, 'content_salt is not a salt')];
  return saltedDigest(Buffer.from(salt, 'hex'), content) === row.content_digest
    ? []
    : [sayPointer('row', where, 'content is not what was digested')];
};

/** Whether the record of one row is known to be after that of another: in the same log. */
const isAfter = (one: StoredRow, other: StoredRow): boolean =>
  one.log_id === other.log_id && Number(one.seq) > Number(other.seq);

/** Checks that a thought continues the thought at the place before. Places are unique in a session, so every gap is found. */
const chainFindings = (tx: StoreReading, row: StoredRow, where: Where): Finding[] => {
  const { session_id: sessionId, place } = row;
  const session = typeof sessionId === 'string' ? sessionEnds(tx, sessionId) : undefined;
  if (session === undefined) return [sayPointer('chain', where, 'belongs to no session')];
  const findings: Finding[] = [];
  const before = place === 0 ? undefined : thoughtAt(tx, String(sessionId), Number(place) - 1);
  if ((place === 0 ? session.genesis_hash : before?.hash) !== row.prev_hash)
    findings.push(sayPointer('chain', where, 'does not continue the thought before it'));
  if (before !== undefined && isAfter(before, row))
    findings.push(sayPointer('chain', where, 'was recorded before the thought before it'));
  // The row of a session points to the record that opened it, until the seal.
  const isSealed = session.finalized_at !== null;
  if (isSealed && session.log_id === row.log_id && !isAfter(session, row))
    findings.push(sayPointer('chain', where, 'was recorded after its session was sealed'));
  if (!isSealed && isAfter(session, row))
    findings.push(sayPointer('chain', where, 'was recorded before its session was opened'));
  return findings;
};

/**
 * The attempt at the task that a thought belongs to, from the thought's record; the thought's hash does not cover the attempt. A thought that
 * gives the reason for a step belongs to the attempt before the step. (With several steps, the attempt of the record is that before the first.)
 */
const attemptOf = (record: ReadRecord | undefined, id: string): unknown => {
  const attempt = record?.body.attempt ?? null;
  const steps = attempt === null || record === undefined ? [] : recordedMoves(record.body);
  const step = steps.find((one) => isObject(one) && one.because === id) as JsonObject | undefined;
  return typeof step?.attempt === 'number' ? step.attempt - (isRetry(step.from, step.to) ? 1 : 0) : attempt;
};

const checkThought =
  (erased: Erasures) =>
  (tx: StoreReading, row: StoredRow): Finding[] => {
    const id = String(row.thought_id);
    const where = { table: 'thoughts', id };
    const digest = hashOf(row);
    const record = recordOf(tx, row);
    return [
      ...(row.hash === digest ? [] : [sayPointer('chain', where, 'its hash does not match its fields')]),
      ...namedBy(record, { type: 'thought', id, rev: 1, digest }, where),
      ...pairFindings(row, where),
      ...(isType(row.type) ? [] : [sayPointer('row', where, `is of the type ${shown(row.type)}, which there is not`)]),
      ...contentFindings(tx, row, erased, where),
      ...chainFindings(tx, row, where),
      ...unlike(where, 'attempt', row.attempt, attemptOf(record, id)),
    ];
  };

export const thoughts = (erased: Erasures): Walked => ({
  table: 'thoughts',
  idOf: ({ thought_id }) => thought_id,
  check: checkThought(erased),
});
