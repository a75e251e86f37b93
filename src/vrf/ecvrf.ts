// The verifiable random function ECVRF-EDWARDS25519-SHA512-TAI of RFC 9381. For every input the holder of a secret key computes one output and
// a proof; with the public key alone anybody checks that the output is the only possible one. The section numbers below are of RFC 9381.
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';

const { Point } = ed25519;
type CurvePoint = InstanceType<typeof Point>;

const ORDER = Point.Fn.ORDER;
// §5.5: suite_string of ECVRF-EDWARDS25519-SHA512-TAI, and the domain separators of §5.4.1.1, §5.4.3 and §5.2.
const SUITE = 0x03;
const ENCODE = 0x01;
const CHALLENGE = 0x02;
const OUTPUT = 0x03;
const END = 0x00;

const POINT_BYTES = 32;
const CHALLENGE_BYTES = 16;
const SCALAR_BYTES = 32;
export const VRF_PROOF_BYTES = POINT_BYTES + CHALLENGE_BYTES + SCALAR_BYTES;
export const VRF_KEY_BYTES = 32;
const SEPARATORS = 256;

const joined = (...parts: readonly (Uint8Array | number)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...part])));

const hashed = (...parts: readonly (Uint8Array | number)[]): Uint8Array => sha512(joined(...parts));

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

const scalarBytes = (scalar: bigint): Uint8Array =>
  Uint8Array.from({ length: SCALAR_BYTES }, (_, i) => Number((scalar >> BigInt(8 * i)) & 0xffn));

const modulo = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER;

/** §5.5: decodes a point as RFC 8032 §5.1.3 says; undefined if the bytes are no point. */
const pointOf = (bytes: Uint8Array): CurvePoint | undefined => {
  try {
    return Point.fromBytes(bytes);
  } catch {
    return undefined;
  }
};

/** Multiplies a point by a public number; zero is allowed. */
const times = (point: CurvePoint, scalar: bigint): CurvePoint =>
  scalar === 0n ? Point.ZERO : point.multiplyUnsafe(scalar);

/** §5.4.1.1: try and increment. About every second hash is a point, so 256 of them always contain one. */
const encodeToCurve = (publicKey: Uint8Array, input: Uint8Array): CurvePoint => {
  for (let separator = 0; separator < SEPARATORS; separator += 1) {
    const digest = hashed(SUITE, ENCODE, publicKey, input, separator, END);
    const point = pointOf(digest.subarray(0, POINT_BYTES))?.clearCofactor();
    if (point !== undefined && !point.is0()) return point;
  }
  throw new RangeError('no point for this input');
};

/** §5.4.3: the challenge over five points. Drafts before RFC 9381 left the first one, the public key, out. */
const challengeOf = (points: readonly CurvePoint[]): bigint =>
  littleEndian(hashed(SUITE, CHALLENGE, ...points.map((point) => point.toBytes()), END).subarray(0, CHALLENGE_BYTES));

/** §5.2: the output that a proof proves. */
const outputOf = (gamma: CurvePoint): Uint8Array => hashed(SUITE, OUTPUT, gamma.clearCofactor().toBytes(), END);

export interface VrfProof {
  /** 64 bytes. */
  readonly output: Uint8Array;
  /** 80 bytes. */
  readonly proof: Uint8Array;
}

export interface VrfKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  prove(input: Uint8Array): VrfProof;
}

/** The key with this seed: the 32 bytes of an Ed25519 private key (RFC 8032 §5.1.5). */
export const vrfKeyOf = (seed: Uint8Array): VrfKey => {
  const {
    scalar: secret,
    prefix,
    point: publicPoint,
    pointBytes: publicKey,
  } = ed25519.utils.getExtendedPublicKey(seed);
  return {
    publicKey,
    // §5.1
    prove: (input) => {
      const base = encodeToCurve(publicKey, input);
      const gamma = base.multiply(secret);
      const nonce = modulo(littleEndian(hashed(prefix, base.toBytes()))); // §5.4.2.2
      const challenge = challengeOf([publicPoint, base, gamma, Point.BASE.multiply(nonce), base.multiply(nonce)]);
      const response = modulo(nonce + challenge * secret);
      const proof = joined(gamma.toBytes(), scalarBytes(challenge).subarray(0, CHALLENGE_BYTES), scalarBytes(response));
      return { output: outputOf(gamma), proof };
    },
  };
};

/** §5.4.5: a public key must be a point, and not one of the eight of small order. */
const publicPointOf = (publicKey: Uint8Array): CurvePoint | undefined => {
  const point = publicKey.length === VRF_KEY_BYTES ? pointOf(publicKey) : undefined;
  return point?.isSmallOrder() === false ? point : undefined;
};

/** §5.3: the output that the proof proves for this key and input; undefined if it proves none. */
export const verifyVrf = (publicKey: Uint8Array, input: Uint8Array, proof: Uint8Array): Uint8Array | undefined => {
  const publicPoint = publicPointOf(publicKey);
  if (publicPoint === undefined || proof.length !== VRF_PROOF_BYTES) return undefined;
  const gamma = pointOf(proof.subarray(0, POINT_BYTES));
  const challenge = littleEndian(proof.subarray(POINT_BYTES, POINT_BYTES + CHALLENGE_BYTES));
  const response = littleEndian(proof.subarray(POINT_BYTES + CHALLENGE_BYTES));
  if (gamma === undefined || response >= ORDER) return undefined; // §5.4.4
  const base = encodeToCurve(publicKey, input);
  const first = times(Point.BASE, response).subtract(times(publicPoint, challenge));
  const second = times(base, response).subtract(times(gamma, challenge));
  return challengeOf([publicPoint, base, gamma, first, second]) === challenge ? outputOf(gamma) : undefined;
};
