// Checks votes, enrolled voters, and what was heard of other logs: every signature, and every row against what was signed and its record.
import { subjectOf } from '../../ledger/evidence.js';
import { saltedDigest } from '../../ledger/hashes.js';
import { openCheckpoint } from '../../ledger/notes.js';
import { verifierOf } from '../../ledger/tree.js';
import { isObject, parsedObject } from '../../proof/canonical-json.js';
import { originOf } from '../../proof/checkpoint.js';
import type { Subject } from '../../proof/records.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { roundOfVote, type StoredRow, voterOfVote } from './evidence-repository.js';
import { namedBy, recordOf, sayPointer, shown } from './pointer.js';
import { type CheckedStatement, checkedStatement, failing, logOfKey } from './signed-statement.js';
import type { Walked } from './walk.js';

const named = (tx: StoreReading, type: Subject['type'], id: unknown, row: StoredRow, names: readonly string[]) => {
  const columns = Object.fromEntries(names.map((name) => [name, row[name]]));
  const said = subjectOf({ type, id: String(id), rev: row.rev as number, salt: row.salt as string, columns });
  return namedBy(recordOf(tx, row), said, { table: `${type === 'heard' ? 'heard' : `${type}s`}`, id: shown(id) });
};

const VOTE_COLUMNS = ['round_id', 'voter', 'vote', 'root', 'form', 'identity', 'statement', 'instance', 'known_at'];

/** Whether the stored reason is that of the digest in the vote. Reasons are not told to other stores, and none stands beside an attempt to vote twice. */
const isReason = ({ reason, reason_salt, instance }: StoredRow, { body }: CheckedStatement): boolean => {
  const digest = body.reason_digest ?? null;
  if (reason === null) return reason_salt === null && (instance === null || digest === null);
  if (typeof reason !== 'string' || typeof reason_salt !== 'string') return false;
  return saltedDigest(Buffer.from(reason_salt, 'hex'), reason) === digest;
};

/** Whether the key is that of the voter: as it was enrolled, or, for a name that is claimed here, that of the log. */
const isVotersKey = (tx: StoreReading, row: StoredRow, { key }: CheckedStatement): boolean => {
  if (row.identity === 'enrolled') {
    const voter = voterOfVote(tx, String(row.voter));
    // A voter that was enrolled again may have another key now.
    return voter !== undefined && (voter.public_key === key || Number(voter.rev) > 1);
  }
  return row.identity === 'claimed' && (row.instance === null || logOfKey(key) === row.log_id);
};

const checkVote = (tx: StoreReading, row: StoredRow): Finding[] => {
  const where = { table: 'votes', id: shown(row.vote_id) };
  const findings = named(tx, 'vote', row.vote_id, row, VOTE_COLUMNS);
  const said = checkedStatement(row.statement);
  if (said === undefined) return [...findings, sayPointer('row', where, 'its signature is wrong')];
  const round = roundOfVote(tx, String(row.round_id));
  const proposal = parsedObject(round?.proposal)?.body;
  const rules = isObject(proposal) ? proposal.rule_version : undefined;
  const same = ['round_id', 'voter', 'vote', 'root'].every((name) => said.body[name] === row[name]);
  const faults = failing({
    'its name': said.id === row.vote_id,
    'what it says': same && said.body.kind === row.form,
    'its round': round !== undefined && said.body.rule_version === rules,
    'its key': isVotersKey(tx, row, said),
    'its reason': isReason(row, said),
  });
  return [...findings, ...faults.map((what) => sayPointer('row', where, `${what} is wrong`))];
};

export const VOTE_ROWS: Walked = { table: 'votes', idOf: ({ vote_id }) => vote_id, check: checkVote };

const checkVoter = (tx: StoreReading, row: StoredRow): Finding[] => {
  const columns = ['public_key', 'enrolled_at', 'enrolled_by', 'revoked_at', 'revoked_by'];
  const body = recordOf(tx, row)?.body ?? {};
  const isRevoked = row.revoked_at !== null;
  const faults = failing({
    'its key': body.public_key === row.public_key,
    'its state': body.name === row.name && body.state === (isRevoked ? 'revoked' : 'enrolled'),
    'its time': body.at === (isRevoked ? row.revoked_at : row.enrolled_at),
    'who did it': body.by === (isRevoked ? row.revoked_by : row.enrolled_by),
  });
  const where = { table: 'voters', id: shown(row.name) };
  return [
    ...named(tx, 'voter', row.name, row, columns),
    ...faults.map((what) => sayPointer('row', where, `${what} is wrong`)),
  ];
};

export const VOTERS: Walked = { table: 'voters', idOf: ({ name }) => name, check: checkVoter };

/** What a signed statement says about a checkpoint; undefined if its note is not signed by the log. */
const seenIn = ({ body, key }: CheckedStatement): StoredRow | undefined => {
  if (body.kind === 'cosigned') return { log: body.log, size: body.size, root: body.root };
  const log = logOfKey(key);
  const opened = openCheckpoint(String(body.note), verifierOf(originOf(log), Buffer.from(key, 'hex')));
  return 'checkpoint' in opened ? { log, size: opened.checkpoint.size, root: opened.checkpoint.root } : undefined;
};

const checkHeard = (tx: StoreReading, row: StoredRow): Finding[] => {
  const where = { table: 'heard', id: shown(row.event_id) };
  const findings = named(tx, 'heard', row.event_id, row, ['kind', 'log', 'size', 'root', 'statement', 'known_at']);
  const said = checkedStatement(row.statement);
  if (said === undefined) return [...findings, sayPointer('row', where, 'its signature is wrong')];
  const seen = seenIn(said);
  const faults = failing({
    'its name': said.id === row.event_id && said.body.kind === row.kind,
    'its checkpoint': ['log', 'size', 'root'].every((name) => seen?.[name] === row[name]),
  });
  return [...findings, ...faults.map((what) => sayPointer('row', where, `${what} is wrong`))];
};

export const HEARD: Walked = { table: 'heard', idOf: ({ event_id }) => event_id, check: checkHeard };
