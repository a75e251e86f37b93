// What a round about a call opens, checked once more from what was signed: a row that somebody edited, or a record that somebody added, opens
// nothing. Whoever wants to forge a yes needs the key of a log, or the keys of the voters.
import { hash } from 'node:crypto';
import { checkProof } from '../ledger/notes.js';
import type { OwnLog } from '../ledger/own-log.js';
import { proveRecord, type RecordPlace } from '../ledger/prove.js';
import { verifierOf } from '../ledger/tree.js';
import { type JsonObject, parsedObject } from '../proof/canonical-json.js';
import { originOf } from '../proof/checkpoint.js';
import { writeProof } from '../proof/proof-file.js';
import type { ReadTx } from '../store/store.js';
import type { RoundProposal, RoundRow } from './round-repository.js';
import { ruleVersionOf, statementRoot } from './rules.js';
import { readStatement, type SignedStatement } from './signed.js';
import { voteById } from './vote-repository.js';
import { voterByName } from './voter-repository.js';

export type RoundGrounds =
  | { readonly state: 'open' | 'rejected' }
  /** Decided, but no signed checkpoint covers the decision yet. */
  | { readonly state: 'unsigned' }
  | { readonly state: 'approved'; readonly approvers: readonly string[] }
  /** The store does not say what was signed. */
  | { readonly state: 'broken'; readonly why: string };

const broken = (why: string): RoundGrounds => ({ state: 'broken', why });

type Signed = Pick<SignedStatement, 'body' | 'key'>;

/** The proposal of a round, if the key of this log signed it and the row says the same. */
const ownProposal = (row: RoundRow, log: OwnLog): (RoundProposal & Signed) | undefined => {
  const signed = readStatement(row.proposal);
  if (signed === undefined || signed.key !== log.publicKey) return undefined;
  const said = signed.body as unknown as RoundProposal;
  const isSame =
    signed.body.round_id === row.round_id &&
    signed.body.root === row.root &&
    statementRoot(said.statement) === row.root &&
    ruleVersionOf(said.rules) === said.rule_version;
  return isSame ? { ...said, ...signed } : undefined;
};

/** A record under a checkpoint that its log signed with one of these keys. `unsigned`: no checkpoint covers it; undefined: it is not there. */
const provenRecord = async (
  tx: ReadTx,
  place: RecordPlace,
  keys: readonly string[],
): Promise<JsonObject | 'unsigned' | undefined> => {
  const key = keys.find((one) => hash('sha256', Buffer.from(one, 'hex')).slice(0, 32) === place.log);
  if (key === undefined) return undefined;
  const file = await proveRecord(tx, place);
  if (file === undefined) return 'unsigned';
  const verdict = checkProof(writeProof(file), verifierOf(originOf(place.log), Buffer.from(key, 'hex')));
  return verdict.holds ? parsedObject(file.extra.record) : undefined;
};

/** Whether a vote is a yes to this round, signed with the key that the record of the voter's enrolment has. */
const approver = async (
  tx: ReadTx,
  id: string,
  proposal: RoundProposal & Signed,
  keys: readonly string[],
): Promise<string | undefined> => {
  const [row, said] = [await voteById(tx, id), proposal.body];
  const vote = readStatement(row?.statement);
  if (vote === undefined || vote.id !== id) return undefined;
  const { voter, ...body } = vote.body;
  const isYes =
    body.kind === 'vote' &&
    body.vote === 'approve' &&
    body.round_id === said.round_id &&
    body.root === said.root &&
    body.rule_version === proposal.rule_version;
  if (!isYes || typeof voter !== 'string' || voter === said.requester) return undefined;
  if (proposal.rules.voters?.includes(voter) !== true) return undefined;
  const enrolled = await voterByName(tx, voter);
  if (enrolled === undefined) return undefined;
  const record = await provenRecord(tx, { log: enrolled.log_id, seq: enrolled.seq }, keys);
  const isKey =
    typeof record === 'object' && record.kind === 'voter' && record.name === voter && record.public_key === vote.key;
  return isKey ? voter : undefined;
};

/** What a round about a call that this log asked for has come to. */
export const roundGrounds = async (tx: ReadTx, row: RoundRow, log: OwnLog): Promise<RoundGrounds> => {
  const proposal = ownProposal(row, log);
  if (proposal === undefined) return broken('the round is not as this log signed it');
  if (row.decision === null) return { state: 'open' };
  const keys = [proposal.key, ...proposal.keys];
  const decision = readStatement(row.decision);
  const body: JsonObject = decision?.body ?? {};
  const isOurs =
    decision !== undefined && keys.includes(decision.key) && body.kind === 'decided' && body.round_id === row.round_id;
  if (!isOurs || body.root !== row.root) return broken('its decision is not signed');
  if (body.result !== 'approve') return { state: 'rejected' };
  const record = await provenRecord(tx, { log: String(body.log), seq: Number(body.seq) }, keys);
  if (record === 'unsigned') return { state: 'unsigned' };
  if (record?.kind !== 'decided' || record.round_id !== row.round_id || record.result !== 'approve')
    return broken('the record of its decision is not in the log');
  const approvers = new Set<string>();
  for (const id of Array.isArray(body.votes) ? body.votes.map(String) : []) {
    const name = await approver(tx, id, proposal, keys);
    if (name !== undefined) approvers.add(name);
  }
  return approvers.size >= proposal.rules.need
    ? { state: 'approved', approvers: [...approvers].sort() }
    : broken('fewer voters signed a yes than it needs');
};
