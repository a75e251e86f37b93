// RFC 6962 §2.1 word for word: the definitions of the RFC as recursions over leaf ranges, and nothing of src/. What the
// ledger computes by frontier and bit shifting is held to this. Only whole ranges are remembered, so that every tree of
// every size can be asked.
import { createHash } from 'node:crypto';

export const sha256 = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** MTH({d}) = SHA-256(0x00 ‖ d). */
export const leafOf = (data: string | Buffer): string => sha256(Buffer.from([0]), data);

/** SHA-256(0x01 ‖ left ‖ right). */
export const nodeOf = (left: string, right: string): string => sha256(Buffer.from([1]), bytes(left), bytes(right));

/** "The largest power of two smaller than n." */
const largestPowerBelow = (n: number): number => (n <= 2 ? 1 : 2 * largestPowerBelow(Math.ceil(n / 2)));

export interface NaiveTree {
  /** MTH(D[from:to]). */
  root(from: number, to: number): string;
  /** PATH(m, D[n]), §2.1.1. */
  path(m: number, n: number): string[];
  /** PROOF(m, D[n]), §2.1.2. */
  proof(m: number, n: number): string[];
}

/** The trees over the first leaves of a list of leaf hashes. */
export const naiveTree = (leaves: readonly string[]): NaiveTree => {
  const known = new Map<number, string>();

  const split = (from: number, to: number): readonly [string, string] => {
    const middle = from + largestPowerBelow(to - from);
    return [root(from, middle), root(middle, to)];
  };

  const root = (from: number, to: number): string => {
    if (from === to) return sha256('');
    if (to - from === 1) return leaves[from] ?? '';
    const place = from * (leaves.length + 1) + to;
    const hash = known.get(place) ?? nodeOf(...split(from, to));
    known.set(place, hash);
    return hash;
  };

  const path = (m: number, from: number, to: number): string[] => {
    if (to - from === 1) return [];
    const middle = from + largestPowerBelow(to - from);
    return m < middle
      ? [...path(m, from, middle), root(middle, to)] //
      : [...path(m, middle, to), root(from, middle)];
  };

  // `whole`: the b of SUBPROOF(m, D[n], b), true while the subtree is the one the old root was made of.
  const subproof = (m: number, [from, to]: readonly [number, number], whole: boolean): string[] => {
    if (m === to) return whole ? [] : [root(from, to)];
    const middle = from + largestPowerBelow(to - from);
    return m <= middle
      ? [...subproof(m, [from, middle], whole), root(middle, to)]
      : [...subproof(m, [middle, to], false), root(from, middle)];
  };

  return { root, path: (m, n) => path(m, 0, n), proof: (m, n) => subproof(m, [0, n], true) };
};

/** The root that a path leads to from leaf `m` of a tree of `n`, or nothing where it has another length. */
export const rootByPath = (leaf: string, m: number, n: number, path: readonly string[]): string | undefined => {
  if (n === 1) return path.length === 0 ? leaf : undefined;
  const last = path.at(-1);
  if (last === undefined) return undefined;
  const k = largestPowerBelow(n);
  const inner = m < k ? rootByPath(leaf, m, k, path.slice(0, -1)) : rootByPath(leaf, m - k, n - k, path.slice(0, -1));
  if (inner === undefined) return undefined;
  return m < k ? nodeOf(inner, last) : nodeOf(last, inner);
};

export interface Roots {
  readonly older: string;
  readonly newer: string;
}

/** Both roots that a consistency proof from `m` to `n` leads to; `known` is the old root where it is part of it. */
export const rootsByProof = (
  known: string | undefined,
  m: number,
  n: number,
  proof: readonly string[],
): Roots | undefined => {
  const last = proof.at(-1);
  if (m === n) {
    const same = known ?? last;
    return same === undefined || proof.length !== (known === undefined ? 1 : 0)
      ? undefined
      : { older: same, newer: same };
  }
  if (last === undefined) return undefined;
  const k = largestPowerBelow(n);
  const rest = proof.slice(0, -1);
  if (m <= k) {
    const inner = rootsByProof(known, m, k, rest);
    return inner && { older: inner.older, newer: nodeOf(inner.newer, last) };
  }
  const inner = rootsByProof(undefined, m - k, n - k, rest);
  return inner && { older: nodeOf(last, inner.older), newer: nodeOf(last, inner.newer) };
};

/** The eight leaves that Certificate Transparency's reference implementation tests with, and the roots over them. */
export const CT_LEAVES: readonly Buffer[] = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(bytes);

/** By size, 0 … 8. */
export const CT_ROOTS: readonly string[] = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
