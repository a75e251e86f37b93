// A proof file alone: no store is needed where the key is given. Judges the file and says what it proves.
import { originOf, type Verifier, vkeyOf } from '../../proof/checkpoint.js';
import { checkProof, type ProofFile, readProof } from '../../proof/proof-file.js';
import { NO_CUSTODY } from '../../verify/verdict/custody.js';
import type { Finding } from '../../verify/verdict/finding.js';
import type { Custody, Judged } from '../../verify/verdict/verdict.js';

/** Like a verdict of the store, as far as a proof has the same things to say. */
export interface ProofReport extends Judged {
  readonly valid: boolean;
  readonly scope: { readonly kind: 'proof' };
  readonly origin: string | null;
  readonly key: string | null;
  /** The record that is proved, and the thought behind it. */
  readonly proved: {
    readonly index: number;
    readonly size: number;
    readonly record: unknown;
    readonly thought: unknown;
    readonly content: string | null;
  } | null;
}

const CUSTODY: Custody = {
  key: 'whoever holds the private key could have signed another history; a proof cannot show who does',
  heads: 'none: that this log was the only one is not shown',
};

const NOT_CHECKED = [
  'that the log was continued and not replaced after this checkpoint (colibri verify --head, with the store)',
  'other records of the log',
  'what the agent did with tools of its own client: nothing of that passes through Colibri',
];

export const NO_PROOF = 'This is not a whole c2sp.org/tlog-proof@v1 file.';

const NOTHING = { broken_count: 0, findings: [], remarks: [], checked: [], not_checked: NOT_CHECKED, custody: CUSTODY };

/** The log that a proof's checkpoint names; nothing of it is proved yet. */
export const originIn = (text: string): string | undefined => {
  const proof = readProof(text);
  const [origin] = proof?.checkpoint.split('\n') ?? [];
  return origin || undefined;
};

export const logIdIn = (origin: string): string | undefined =>
  origin.startsWith(originOf('')) ? origin.slice(originOf('').length) : undefined;

/** It could not be judged. */
export const unjudged = (remark: string, origin: string | null = null): ProofReport => ({
  exit: 30,
  valid: false,
  scope: { kind: 'proof' },
  origin,
  key: null,
  proved: null,
  ...NOTHING,
  remarks: [remark],
  not_checked: ['everything'],
  custody: NO_CUSTODY,
});

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? null : JSON.parse(text);
  } catch {
    return text;
  }
};

const provedBy = ({ extra, index }: ProofFile, size: number): NonNullable<ProofReport['proved']> => ({
  index,
  size,
  record: parsed(extra.record),
  thought: parsed(extra.thought?.record),
  content: extra.thought?.content ?? null,
});

const checkedBy = ({ extra }: ProofFile): string[] => [
  'the signature over the checkpoint',
  'the path from the record to the signed root',
  ...(extra.thought === undefined ? [] : ['the path from the thought to the root of its sealed session']),
  ...(extra.thought?.content == null ? [] : ['the content of the thought against its digest']),
];

const remarksOn = ({ extra }: ProofFile): string[] =>
  extra.thought !== undefined && extra.thought.content === null
    ? ['The content is not in this file (erased or left out): that the thought existed is proved, not what it said.']
    : [];

/** The signature covers the place too: a record that says it stands elsewhere was not put there by Colibri. */
const placeFault = ({ index, record }: NonNullable<ProofReport['proved']>, origin: string): string | undefined => {
  const log = logIdIn(origin);
  if (log === undefined) return undefined;
  const said = (typeof record === 'object' && record !== null ? record : {}) as { log?: unknown; seq?: unknown };
  return said.log === log && said.seq === index
    ? undefined
    : 'the record names another place than the one it stands at';
};

/** Judges a proof with a key. */
export const judgeProof = (text: string, verifier: Verifier, allowCosignatures: boolean): ProofReport => {
  const origin = originIn(text);
  if (origin === undefined) return unjudged(NO_PROOF);
  const verdict = checkProof(text, verifier, { allowCosignatures });
  const proved = verdict.holds ? provedBy(verdict.proof, verdict.checkpoint.size) : null;
  const why = verdict.holds ? proved && placeFault(proved, origin) : verdict.why;
  const base = { scope: { kind: 'proof' }, origin, key: vkeyOf(verifier), ...NOTHING } as const;
  if (verdict.holds && why === undefined) {
    const said = { proved, checked: checkedBy(verdict.proof), remarks: remarksOn(verdict.proof) };
    return { exit: 0, valid: true, ...base, ...said };
  }
  const finding: Finding = { kind: 'checkpoint', where: {}, message: `The proof does not hold: ${why}.` };
  return { exit: 20, valid: false, ...base, proved: null, broken_count: 1, findings: [finding] };
};
