// What a round is about, which rules it has, and the numbers and digests that follow from both. Pure.
import { hash } from 'node:crypto';
import { canonicalJson } from '../proof/canonical-json.js';

export const CONSENSUS_FORMULA = 'colibri.consensus/1';

/** One call of one tool of another server: `exact` is the MAC of what will be sent (docs/approvals.md). */
export interface RoundAction {
  readonly server: string;
  readonly tool: string;
  readonly exact: string;
  readonly definition: string;
}

export interface RoundStatement {
  readonly statement: string;
  readonly task_id?: string | undefined;
  readonly action?: RoundAction | undefined;
}

/** How the voters of a round are drawn: the first `count` of the pool in the order that the draw gives them. */
export interface DrawRule {
  readonly from: readonly string[];
  readonly count: number;
}

export interface RoundRules {
  readonly formula: typeof CONSENSUS_FORMULA;
  /** The names that may vote; null if they are drawn. An empty list: any name may. */
  readonly voters: readonly string[] | null;
  readonly draw: DrawRule | null;
  readonly need: number;
  readonly expires_at: string;
}

const digestOf = (value: unknown): string => hash('sha256', canonicalJson(value));

/** The digest of what is voted on. Equal statements have equal roots. */
export const statementRoot = ({ statement, task_id, action }: RoundStatement): string =>
  digestOf({ statement, task_id, action });

/** The digest of the rules in force. */
export const ruleVersionOf = (rules: RoundRules): string => digestOf(rules);

/** 63 bits of a SHA-256, in decimal: the first eight bytes as a number, without its highest bit. */
export const roundIdOf = (store: string, root: string, nonce: string): string => {
  const first = Buffer.from(digestOf({ nonce, root, store }), 'hex').readBigUInt64BE();
  return BigInt.asUintN(63, first).toString();
};

/** How many equal votes decide if the proposer says nothing: more than two thirds. */
export const usualNeed = (voters: number): number => Math.floor((2 * voters) / 3) + 1;
