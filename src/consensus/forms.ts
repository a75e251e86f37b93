// The forms of signed statements that come from other stores. A statement of another form is refused, whoever signed it. Pure.
import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../proof/canonical-json.js';
import { CONSENSUS_LIMITS } from './limits.js';
import { drawnFrom } from './lots.js';
import {
  CONSENSUS_FORMULA,
  type RoundRules,
  type RoundStatement,
  roundIdOf,
  ruleVersionOf,
  statementRoot,
} from './rules.js';
import { VOTES } from './tally.js';

type Test = (value: unknown) => boolean;

/** Whether a store and a record can hold a text. */
const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes('\u0000');

const text =
  (most: number): Test =>
  (value) =>
    typeof value === 'string' && value !== '' && value.length <= most && isStorable(value);
const hex =
  (digits: number): Test =>
  (value) =>
    typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
const count: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const time: Test = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const listOf =
  (test: Test, most: number): Test =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(test) && new Set(value).size === value.length;
const word =
  (...words: readonly unknown[]): Test =>
  (value) =>
    words.includes(value);
/** An object with these members and no others. A name that ends in `?` may be absent. */
const object =
  (members: Readonly<Record<string, Test>>): Test =>
  (value) => {
    if (!isObject(value)) return false;
    const names = Object.keys(members).map((name) => name.replace('?', ''));
    if (Object.keys(value).some((name) => !names.includes(name))) return false;
    return Object.entries(members).every(([name, test]) =>
      name.endsWith('?') && value[name.slice(0, -1)] === undefined ? true : test(value[name.replace('?', '')]),
    );
  };

const { voters, pool, namedLogs, actionChars, statementBytes } = CONSENSUS_LIMITS;
const log = hex(32);
const digest = hex(64);
const name = text(CONSENSUS_LIMITS.nameChars);
const roundId: Test = (value) => typeof value === 'string' && /^(0|[1-9]\d{0,18})$/.test(value);
const action = object({ server: text(actionChars), tool: text(actionChars), exact: digest, definition: digest });
const rules = object({
  formula: word(CONSENSUS_FORMULA),
  voters: orNull(listOf(name, voters)),
  draw: orNull(object({ from: listOf(name, pool), count })),
  need: (value) => count(value) && Number(value) > 0,
  expires_at: time,
});
const statement = object({ statement: text(statementBytes), 'task_id?': name, 'action?': action });
const tally = object({ approve: count, reject: count, abstain: count, equivocated: count });
const ONE = word(1);

const voteBody = {
  v: ONE,
  round_id: roundId,
  root: digest,
  rule_version: digest,
  voter: name,
  vote: word(...VOTES),
  at: time,
};

const FORMS: Readonly<Record<string, Test>> = {
  round: object({
    ...{
      v: ONE,
      kind: word('round'),
      round_id: roundId,
      store: log,
      log,
      nonce: hex(32),
      root: digest,
      statement,
      rules,
    },
    ...{ rule_version: digest, requester: orNull(name), at: time, keys: listOf(digest, namedLogs) },
  }),
  draw: object({
    ...{ v: ONE, kind: word('draw'), round_id: roundId, root: digest, after: object({ log, seq: count }), at: time },
    ...{ checkpoint: text(actionChars * 2), output: hex(128), proof: hex(160), vrf_key: digest },
    ...{ voters: listOf(name, voters), 'of?': roundId },
  }),
  vote: object({ ...voteBody, kind: word('vote'), reason_digest: orNull(digest) }),
  equivocation: object({ ...voteBody, kind: word('equivocation') }),
  decided: object({
    ...{ v: ONE, kind: word('decided'), round_id: roundId, root: digest, result: word('approve', 'reject'), tally },
    ...{ votes: listOf(digest, voters), log, seq: count, at: time },
  }),
  checkpoint: object({ v: ONE, kind: word('checkpoint'), log, note: text(actionChars * 2) }),
  cosigned: object({ v: ONE, kind: word('cosigned'), log, size: count, root: digest, voter: orNull(name) }),
};

/** Whether a body has the form of its kind. */
export const hasForm = (body: JsonObject): boolean =>
  typeof body.kind === 'string' && Object.hasOwn(FORMS, body.kind) && FORMS[body.kind]?.(body) === true;

/** The id of the log whose key this is. */
export const logIdOfKey = (key: string): string => hash('sha256', Buffer.from(key, 'hex')).slice(0, 32);

/** Whether the numbers and digests in a proposal follow from what it says, and the key is that of its log. */
export const isProposalSound = (body: JsonObject, key: string): boolean => {
  const said = body.rules as RoundRules;
  return (
    (said.voters === null) !== (said.draw === null) &&
    statementRoot(body.statement as RoundStatement) === body.root &&
    ruleVersionOf(said) === body.rule_version &&
    roundIdOf(String(body.store), String(body.root), String(body.nonce)) === body.round_id &&
    logIdOfKey(key) === body.log
  );
};

/** Whether the voters of a draw are those that its output gives. */
export const isDrawSound = (body: JsonObject, said: RoundRules): boolean =>
  said.draw !== null && JSON.stringify(drawnFrom(said.draw, String(body.output))) === JSON.stringify(body.voters);
