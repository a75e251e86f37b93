// Signed statements that nobody made through the tools: of stores that are not there, and of whoever wants to be somebody else.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { StatementKey } from '../../src/consensus/signed.js';
import type { Message } from '../support/serve.js';
import { jcs, roundNumber, sha } from './recompute.js';

export const makeKey = (): StatementKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
    sign: (text) => sign(null, Buffer.from(text), privateKey),
  };
};

export const signed = (body: Message, key: StatementKey): Message => ({
  ...{ body, key: key.publicKey },
  sig: Buffer.from(key.sign(jcs(body))).toString('base64'),
});

const STORE = 'ab'.repeat(16);
const AT = '2026-11-19T09:00:00.000Z';

export const bundleOf = (key: StatementKey, ...events: readonly Message[]): string =>
  jcs(signed({ v: 1, kind: 'bundle', store: STORE, events }, key));

/** A vote, or an attempt to vote twice, on a round that consensus_propose answered or `foreignRound` made. */
export const forgedVote = (
  { round_id, root, rule_version }: Message,
  key: StatementKey,
  voter: string,
  vote = 'approve',
  kind: 'vote' | 'equivocation' = 'vote',
): Message =>
  signed(
    { v: 1, kind, round_id, root, rule_version, voter, vote, at: AT, ...(kind === 'vote' && { reason_digest: null }) },
    key,
  );

export const logOf = ({ publicKey }: StatementKey): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex').slice(0, 32);

/** A round of another store: its proposal, and what votes on it need. */
export const foreignRound = (key: StatementKey, rules: Message, store = STORE): Message => {
  const statement = { statement: 'theirs' };
  const [root, nonce, log] = [sha(jcs(statement)), randomBytes(16).toString('hex'), logOf(key)];
  const said = {
    ...{ formula: 'colibri.consensus/1', voters: null, draw: null, need: 1 },
    ...{ expires_at: '2026-11-19T19:00:00.000Z', ...rules },
  };
  const [round_id, rule_version] = [roundNumber(store, root, nonce), sha(jcs(said))];
  const body = {
    ...{ v: 1, kind: 'round', round_id, store, log, nonce, root, statement, rules: said, rule_version },
    ...{ requester: 'mallory', at: AT, keys: [key.publicKey] },
  };
  return { round_id, root, rule_version, log, proposal: signed(body, key) };
};

export const forgedDecision = ({ round_id, root, log }: Message, key: StatementKey): Message =>
  signed(
    {
      ...{ v: 1, kind: 'decided', round_id, root, result: 'approve', votes: ['0'.repeat(64)], log, seq: 3, at: AT },
      tally: { approve: 1, reject: 0, abstain: 0, equivocated: 0 },
    },
    key,
  );

/** A checkpoint, signed with this key as the one of a log. */
export const noteOf = (text: string, log: string, { publicKey, sign }: StatementKey): string => {
  const name = `colibri.dev/log/${log}`;
  const id = Buffer.concat([Buffer.from(`${name}\n\u0001`), Buffer.from(publicKey, 'hex')]);
  const hint = Buffer.from(sha(id), 'hex').subarray(0, 4);
  return `${text}\n— ${name} ${Buffer.concat([hint, Buffer.from(sign(text))]).toString('base64')}\n`;
};
