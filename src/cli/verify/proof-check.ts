// Checks a proof file with a given public key, without a store, and says what the file proves.
import { checkProof } from '../../ledger/notes.js';
import { atItsPlace } from '../../proof/proof-check.js';
import { type ProofFile, readProof } from '../../proof/proof-file.js';
import { type Verifier, vkeyOf } from '../../proof/verifier.js';
import { NO_CUSTODY } from '../../verify/verdict/custody.js';
import type { Finding } from '../../verify/verdict/finding.js';
import type { Custody, Judged } from '../../verify/verdict/verdict.js';

/** The result of checking a proof file, in the form of a verdict about a store. */
export interface ProofReport extends Judged {
  readonly valid: boolean;
  readonly scope: { readonly kind: 'proof' };
  readonly origin: string | null;
  readonly key: string | null;
  /** The record that the file proves, and the thought if the file has one. */
  readonly proved: {
    readonly index: number;
    readonly size: number;
    readonly record: unknown;
    readonly thought: unknown;
    readonly content: string | null;
    /** Of a call: its intent and the records of its approvals, and the definition of the tool. */
    readonly call?: { readonly records: readonly unknown[]; readonly definition: unknown };
  } | null;
}

const CUSTODY: Custody = {
  key: 'whoever holds the private key could have signed another history; a proof cannot show who does',
  heads: 'none: a proof does not show that this was the only log',
};

const NOT_CHECKED = [
  'that the log was continued and not replaced after this checkpoint (colibri verify --head, with the store)',
  'other records of the log',
  'what the agent did with tools of its own client: those calls do not pass through Colibri',
];

export const NO_PROOF =
  'This is not a complete c2sp.org/tlog-proof@v1 file. Give a file of `colibri prove --out` or of `colibri page`; a store goes with --db, a checkpoint with --head, receipts with --receipts.';

const NOTHING = { broken_count: 0, findings: [], remarks: [], checked: [], not_checked: NOT_CHECKED, custody: CUSTODY };

/** The log that the checkpoint in a proof file names; nothing is checked yet. */
export const originIn = (text: string): string | undefined => {
  const proof = readProof(text);
  const [origin] = proof?.checkpoint.split('\n') ?? [];
  return origin || undefined;
};

/** The report about a proof file that could not be checked. */
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
  ...(extra.call && {
    call: {
      records: extra.call.records.map(({ record }) => parsed(record)),
      definition: parsed(extra.call.definition ?? undefined),
    },
  }),
});

const checkedBy = ({ extra }: ProofFile): string[] => [
  'the signature over the checkpoint',
  'the path from the record to the signed root',
  ...(extra.thought === undefined ? [] : ['the path from the thought to the root of its sealed session']),
  ...(extra.call === undefined
    ? []
    : ['the paths from the intent of the call, and from the records of its approvals, to the signed root']),
  ...(extra.call?.definition == null ? [] : ['the definition of the tool against the digest in the intent']),
  ...(extra.thought?.content == null ? [] : ['the content of the thought against its digest']),
];

const remarksOn = ({ extra }: ProofFile): string[] =>
  extra.thought !== undefined && extra.thought.content === null
    ? ['The content is not in this file (erased or left out): it is proved that the thought existed, not what it said.']
    : [];

/** Checks a proof file with a public key. */
export const judgeProof = (text: string, verifier: Verifier, allowCosignatures: boolean): ProofReport => {
  const origin = originIn(text);
  if (origin === undefined) return unjudged(NO_PROOF);
  const verdict = atItsPlace(checkProof(text, verifier, { allowCosignatures }));
  const base = { scope: { kind: 'proof' }, origin, key: vkeyOf(verifier), ...NOTHING } as const;
  if (verdict.holds) {
    const proved = provedBy(verdict.proof, verdict.checkpoint.size);
    const said = { proved, checked: checkedBy(verdict.proof), remarks: remarksOn(verdict.proof) };
    return { exit: 0, valid: true, ...base, ...said };
  }
  const finding: Finding = { kind: 'checkpoint', where: {}, message: `The proof does not hold: ${verdict.why}.` };
  return { exit: 20, valid: false, ...base, proved: null, broken_count: 1, findings: [finding] };
};
