// What anybody recomputes of a round, written from docs/audit-format.md and docs/consensus.md: nothing of Colibri is imported.
import { createHash, createPublicKey, verify } from 'node:crypto';

// biome-ignore lint/suspicious/noExplicitAny: statements are looked at field by field
type Json = any;

/** RFC 8785 for values of strings, whole numbers, lists and objects. */
export const jcs = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${jcs(value[name])}`).join(',')}}`;
};

export const sha = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether the Ed25519 signature in a statement is right. */
export const isSigned = ({ body, key, sig }: Json): boolean => {
  const spki = createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(key, 'hex')]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(jcs(body)), spki, Buffer.from(sig, 'base64'));
};

export const roundNumber = (store: string, root: string, nonce: string): string =>
  (BigInt(`0x${sha(jcs({ store, root, nonce })).slice(0, 16)}`) & (2n ** 63n - 1n)).toString();

/** The voters that an output of the random function draws. */
export const drawn = (from: readonly string[], count: number, output: string): readonly string[] => {
  const place = (name: string): string => sha(Buffer.from(output, 'hex'), name);
  return [...from].sort((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, count);
};

// RFC 9381, ECVRF-EDWARDS25519-SHA512-TAI, §5.3, on plain integers.

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
type Point = readonly [bigint, bigint];

const mod = (value: bigint): bigint => ((value % P) + P) % P;
const power = (base: bigint, exponent: bigint): bigint => {
  let [result, square] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
};
const inverse = (value: bigint): bigint => power(value, P - 2n);
const D = mod(-121665n * inverse(121666n));

const plus = ([x1, y1]: Point, [x2, y2]: Point): Point => {
  const t = mod(D * x1 * x2 * y1 * y2);
  return [mod((x1 * y2 + x2 * y1) * inverse(1n + t)), mod((y1 * y2 + x1 * x2) * inverse(1n - t))];
};
const minus = ([x, y]: Point): Point => [mod(-x), y];
const times = (scalar: bigint, point: Point): Point => {
  let [result, double]: [Point, Point] = [[0n, 1n], point];
  for (let left = scalar; left > 0n; left >>= 1n) {
    if (left & 1n) result = plus(result, double);
    double = plus(double, double);
  }
  return result;
};
const little = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
const decoded = (bytes: Uint8Array): Point | undefined => {
  const raw = little(bytes);
  const y = raw & (2n ** 255n - 1n);
  if (y >= P) return undefined;
  const xx = mod((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(xx, (P + 3n) / 8n);
  if (mod(x * x - xx) !== 0n) x = mod(x * power(2n, (P - 1n) / 4n));
  if (mod(x * x - xx) !== 0n) return undefined;
  return [(x & 1n) === raw >> 255n ? x : mod(-x), y];
};
const encoded = ([x, y]: Point): Buffer => {
  const hex = (y | ((x & 1n) << 255n)).toString(16).padStart(64, '0');
  return Buffer.from(hex, 'hex').reverse();
};
const BASE = decoded(Buffer.from('5866666666666666666666666666666666666666666666666666666666666666', 'hex')) as Point;
const sha512 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest();

/** The output that a proof proves, in hex; undefined if it proves none. */
export const provedOutput = (keyHex: string, input: string, proofHex: string): string | undefined => {
  const [key, proof] = [Buffer.from(keyHex, 'hex'), Buffer.from(proofHex, 'hex')];
  const [publicKey, gamma] = [decoded(key), decoded(proof.subarray(0, 32))];
  const [c, s] = [little(proof.subarray(32, 48)), little(proof.subarray(48))];
  if (publicKey === undefined || gamma === undefined || s >= ORDER) return undefined;
  let point: Point | undefined;
  for (let counter = 0; point === undefined; counter += 1)
    point = decoded(sha512(Buffer.from([3, 1]), key, Buffer.from(input), Buffer.from([counter, 0])).subarray(0, 32));
  const base = times(8n, point);
  const u = plus(times(s, BASE), minus(times(c, publicKey)));
  const v = plus(times(s, base), minus(times(c, gamma)));
  const points = [publicKey, base, gamma, u, v].map(encoded);
  const challenge = sha512(Buffer.from([3, 2]), ...points, Buffer.from([0])).subarray(0, 16);
  if (little(challenge) !== c) return undefined;
  return sha512(Buffer.from([3, 3]), encoded(times(8n, gamma)), Buffer.from([0])).toString('hex');
};

/** The root in a signed note, in hex. */
export const rootInNote = (note: string): string => Buffer.from(note.split('\n')[2] ?? '', 'base64').toString('hex');
