// Checks rounds: what was proposed, drawn and decided, each as it was signed, against the row, the votes and the records.
import { hash } from 'node:crypto';
import { subjectOf } from '../../ledger/evidence.js';
import { isObject, type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import { readCheckpoint } from '../../proof/checkpoint.js';
import { verifyVrf } from '../../vrf/ecvrf.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import {
  checkpointAfter,
  isOwnStore,
  recordPlace,
  type StoredRow,
  storedBodyAt,
  storedCosignatures,
  storedVotes,
} from './evidence-repository.js';
import { namedBy, recordOf, sayPointer, shown, subjectsOf } from './pointer.js';
import { type CheckedStatement, checkedStatement, digestOfJson, failing, logOfKey } from './signed-statement.js';
import type { Walked } from './walk.js';

const COLUMNS = [
  ...['home', 'root', 'proposal', 'drawing', 'decision', 'state', 'result', 'voters', 'need', 'expires_at'],
  ...['requester', 'instance', 'asker', 'contested', 'decided_log', 'decided_seq', 'cosigned_by', 'known_at'],
];

const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});
const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** 63 bits of the digest of store, root and nonce, in decimal. */
const roundIdIn = ({ store, root, nonce }: JsonObject): string =>
  (Buffer.from(digestOfJson({ store, root, nonce }), 'hex').readBigUInt64BE() & (2n ** 63n - 1n)).toString();

const proposalFaults = (row: StoredRow, { body, key }: CheckedStatement): readonly string[] => {
  const rules = objectIn(body.rules);
  return failing({
    'its number': body.round_id === row.round_id && roundIdIn(body) === row.round_id,
    'its statement': body.root === row.root && digestOfJson(body.statement) === row.root,
    'its rules': digestOfJson(rules) === body.rule_version && rules.need === row.need,
    'its end': rules.expires_at === row.expires_at,
    'its home': body.store === row.home && logOfKey(key) === body.log,
    'its requester': body.requester === row.requester,
    'its voters': rules.voters === null || JSON.stringify(rules.voters) === row.voters,
  });
};

/** Whether the home of a round signed a statement: with the key of the proposal, or another one that the proposal names. */
const isOfHome = ({ key, body }: CheckedStatement, proposal: CheckedStatement): boolean =>
  (key === proposal.key || namesIn(proposal.body.keys).includes(key)) &&
  body.round_id === proposal.body.round_id &&
  body.root === proposal.body.root;

const bytes = (hex: unknown): Uint8Array => Uint8Array.from(Buffer.from(String(hex), 'hex'));

/** The names that a draw gives, recomputed: undefined if the proof does not prove its output. */
const drawnNames = ({ body }: CheckedStatement, rules: JsonObject): readonly string[] | undefined => {
  const note = String(body.checkpoint);
  const checkpoint = readCheckpoint(note.slice(0, note.indexOf('\n\n') + 1));
  const of = body.of ?? body.round_id;
  const input = `{"checkpoint":${JSON.stringify(checkpoint?.root)},"root":${JSON.stringify(body.root)},"round_id":${JSON.stringify(of)}}`;
  const output = verifyVrf(bytes(body.vrf_key), Buffer.from(input), bytes(body.proof));
  if (output === undefined || Buffer.from(output).toString('hex') !== body.output) return undefined;
  const { from, count } = objectIn(rules.draw);
  const place = (name: string): string => hash('sha256', Buffer.concat([output, Buffer.from(name)]));
  return namesIn(from)
    .toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
    .slice(0, Number(count));
};

/** Whether the checkpoint of a draw is the first one of its log after the record of the proposal. */
const isFirstAfter = (tx: StoreReading, { body }: CheckedStatement): boolean => {
  const { log, seq } = objectIn(body.after);
  const said = parsedObject(storedBodyAt(tx, String(log), Number(seq)));
  const of = body.of ?? body.round_id;
  const isProposal = subjectsOf(said ?? {}).some(({ type, id, rev }) => type === 'round' && id === of && rev === 1);
  return isProposal && checkpointAfter(tx, String(log), Number(seq))?.note === body.checkpoint;
};

const drawFaults = (tx: StoreReading, row: StoredRow, proposal: CheckedStatement, isHome: boolean) => {
  const rules = objectIn(proposal.body.rules);
  if (row.drawing === null)
    return failing({
      'its draw': rules.voters !== null || (row.voters === null && row.state !== 'open' && row.state !== 'decided'),
    });
  const drawing = checkedStatement(row.drawing);
  if (drawing === undefined) return ['the signature of its draw'];
  return failing({
    'who drew': isOfHome(drawing, proposal),
    'its draw': JSON.stringify(drawnNames(drawing, rules)) === row.voters,
    'its checkpoint': !isHome || isFirstAfter(tx, drawing),
  });
};

const tallyIn = (votes: readonly StoredRow[]): JsonObject => {
  const of = (vote: string): number => votes.filter((one) => one.vote === vote).length;
  return { approve: of('approve'), reject: of('reject'), abstain: of('abstain') };
};

/** Whether a vote may be among those that a decision rests on. */
const mayCount = (row: StoredRow, vote: StoredRow, isAction: boolean): boolean => {
  const voters = namesIn(JSON.parse(String(row.voters)));
  const isVoter = voters.length === 0 || voters.includes(String(vote.voter));
  const isVote = vote.form === 'vote' && vote.root === row.root && vote.round_id === row.round_id;
  return isVote && isVoter && vote.voter !== row.requester && (!isAction || vote.identity === 'enrolled');
};

const decisionFaults = (tx: StoreReading, row: StoredRow, proposal: CheckedStatement, isHome: boolean) => {
  if (row.decision === null)
    return failing({ 'its decision': row.state !== 'decided' && row.result === null && row.decided_log === null });
  const decision = checkedStatement(row.decision);
  if (decision === undefined) return ['the signature of its decision'];
  const { body } = decision;
  const ids = namesIn(body.votes);
  const isAction = objectIn(proposal.body.statement).action !== undefined;
  const all = storedVotes(tx, String(row.round_id));
  const votes = all.filter(({ vote_id }) => ids.includes(String(vote_id)));
  const { equivocated: _twice, ...said } = objectIn(body.tally);
  const tally = tallyIn(votes);
  const record = parsedObject(storedBodyAt(tx, String(body.log), Number(body.seq)));
  return failing({
    'who decided': isOfHome(decision, proposal),
    'its decision': row.state === 'decided' && row.result === body.result,
    'its place': row.decided_log === body.log && row.decided_seq === body.seq,
    // Another store may not have all votes yet.
    'its votes':
      !isHome || (votes.length === ids.length && new Set(votes.map(({ voter }) => voter)).size === ids.length),
    'its voters': votes.every((vote) => !isHome || mayCount(row, vote, isAction)),
    'its tally': !isHome || digestOfJson(said) === digestOfJson(tally),
    'what was needed': Number(objectIn(body.tally)[String(body.result)]) >= Number(row.need),
    'its record':
      !isHome || (record?.kind === 'decided' && record.round_id === row.round_id && record.result === body.result),
  });
};

/** Whether some voter of a round voted twice, and not alike, or a store signed that it tried to. */
const isContested = (votes: readonly StoredRow[]): boolean => {
  const said = new Map<unknown, Set<string>>();
  for (const { voter, vote, root } of votes)
    said.set(voter, (said.get(voter) ?? new Set()).add(`${shown(vote)} ${shown(root)}`));
  return votes.some(({ form }) => form === 'equivocation') || [...said.values()].some((of) => of.size > 1);
};

const isCosigned = (tx: StoreReading, { cosigned_by, decided_log, decided_seq }: StoredRow): boolean =>
  storedCosignatures(tx, String(decided_log), Number(decided_seq)).some(
    ({ statement }) => checkedStatement(statement)?.key === cosigned_by,
  );

const checkRound = (tx: StoreReading, row: StoredRow): Finding[] => {
  const where = { table: 'rounds', id: shown(row.round_id) };
  const columns = Object.fromEntries(COLUMNS.map((name) => [name, row[name]]));
  const evidence = {
    type: 'round',
    id: String(row.round_id),
    rev: row.rev as number,
    salt: row.salt as string,
    columns,
  };
  const named = namedBy(recordOf(tx, row), subjectOf(evidence as Parameters<typeof subjectOf>[0]), where);
  const proposal = checkedStatement(row.proposal);
  const say = (what: string): Finding => sayPointer('row', where, `${what} is wrong`);
  if (proposal === undefined) return [...named, say('the signature of its proposal')];
  const isHome = isOwnStore(tx, String(row.home));
  const faults = [
    ...proposalFaults(row, proposal),
    ...drawFaults(tx, row, proposal, isHome),
    ...decisionFaults(tx, row, proposal, isHome),
    ...failing({
      'that it is contested': row.contested !== 1 || isContested(storedVotes(tx, String(row.round_id))),
      'who signed beside it': row.cosigned_by === null || isCosigned(tx, row),
    }),
  ];
  return [...named, ...faults.map(say)];
};

export const ROUNDS: Walked = { table: 'rounds', idOf: ({ round_id }) => round_id, check: checkRound };

/** Says what is wrong between the records of two revisions of one round that follow each other; undefined if nothing is. */
export const roundStepFault = (tx: StoreReading, before: readonly number[], after: number): string | undefined => {
  const kindOf = (id: number): unknown => parsedObject(recordPlace(tx, id)?.body)?.kind;
  if (kindOf(after) !== 'decided') return undefined;
  return before.some((id) => kindOf(id) === 'decided') ? 'is decided a second time' : undefined;
};
