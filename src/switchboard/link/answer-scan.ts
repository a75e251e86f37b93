// Finds the id and the result in the bytes of a long answer, while the bytes still arrive, and hashes the result as it came. The result is
// then passed on as these bytes. Wherever a byte must be changed below the top level of the result, or something in it must be read, the scan
// gives the answer up, and the caller parses it like any other.
import { isUtf8 } from 'node:buffer';
import { createHash, type Hash, randomBytes } from 'node:crypto';
import type { LargeResult } from '../../call/answer.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { isOurs, isRewritten, withoutHop, withoutOurMeta } from '../../proof/result-text.js';
import { JsonScan, type JsonVisitor } from '../../wire/json-scan.js';
import { SPLICED } from '../../wire/spliced.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { LinkScan } from './link-scan.js';

/** An answer whose result is passed on as bytes. */
export interface LargeAnswer {
  readonly id: string;
  readonly large: LargeResult;
}

/** Keeps a large result for the request that it answers; returns false if that request needs the parsed result. */
export type TakeLarge = (answer: LargeAnswer) => boolean;

/** The answer that stands for a large one, which was kept: it goes the way of all answers. */
export const standInFor = ({ id }: LargeAnswer) => ({ jsonrpc: '2.0' as const, id, result: {} });

interface Member {
  readonly name: string;
  /** The place of the first quote of the name. */
  readonly from: number;
  valueFrom: number;
  to: number;
}

/** The values that members must have in an answer that is not parsed. Others mean that somebody must read more of the answer. */
const ONLY: Readonly<Record<string, string>> = { jsonrpc: '"2.0"', isError: 'false', resultType: '"complete"' };
/** The first byte that members must have. Structured content that is not an object would have to be changed for clients of older protocols. */
const FIRST: Readonly<Record<string, string>> = { result: '{', _meta: '{', structuredContent: '{', content: '[' };
const FRAME: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'result']);

const ofMember = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const LETTER_D = 0x64;
const LOWER_CASE = 0x20;

const SALT_BYTES = 16;

export class AnswerScan implements JsonVisitor {
  readonly #scan = new JsonScan(this, {
    depth: SWITCHBOARD_LIMITS.answerDepth,
    steps: SWITCHBOARD_LIMITS.answerSteps,
    reported: LinkScan.reported,
  });
  /** The members of the answer and of its result, with their places. */
  readonly #frame: Member[] = [];
  readonly #members: Member[] = [];
  readonly #links = new LinkScan();
  #isInResult = false;
  /** The name of the result's member whose value is being read; empty between two members. */
  #inside = '';
  readonly #salt = randomBytes(SALT_BYTES);
  readonly #hash: Hash = createHash('sha256').update(this.#salt);
  #hashed = 0;
  #bytes: Buffer = Buffer.alloc(0);

  /** Scans on to the end of `bytes`, which must begin with all bytes that were scanned before. Returns false if the answer is given up. */
  push(bytes: Buffer): boolean {
    this.#bytes = bytes;
    if (!this.#scan.push(bytes)) return false;
    const result = this.#frame.find(({ name }) => name === 'result');
    if (result === undefined || result.valueFrom < 0) return true;
    const to = result.to < 0 ? bytes.length : result.to;
    this.#hash.update(bytes.subarray(Math.max(this.#hashed, result.valueFrom), to));
    this.#hashed = to;
    return true;
  }

  /** The answer, when all its bytes were scanned; undefined if it must be parsed. */
  finish(bytes: Buffer): LargeAnswer | undefined {
    if (!this.push(bytes) || !this.#scan.isWhole || this.#frame.length !== FRAME.size || !isUtf8(bytes))
      return undefined;
    const [id, result] = ['id', 'result'].map((name) => this.#frame.find((member) => member.name === name));
    const read = id && JSON.parse(this.#text(id.valueFrom, id.to));
    if (typeof read !== 'string' || result === undefined) return undefined;
    if (result.to - result.valueFrom <= SWITCHBOARD_LIMITS.largeResultBytes) return undefined;
    const own = this.#ownMembers();
    const pieces = this.#pieces(bytes, result);
    if (own === undefined || pieces.length === 0) return undefined;
    const whole = (): JsonObject => JSON.parse(bytes.toString('utf8', result.valueFrom, result.to));
    const parts = { digest: this.#hash.digest('hex'), salt: this.#salt, links: this.#links.found, whole };
    return { id: read, large: { ...parts, result: { ...own, [SPLICED]: pieces } as JsonObject } };
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to);
  }

  /** The `_meta` of the result without members that are of one connection or that only Colibri may write; undefined if it is too long. */
  #ownMembers(): JsonObject | undefined {
    const meta = this.#members.find(({ name }) => name === '_meta');
    if (meta === undefined) return {};
    if (meta.to - meta.valueFrom > SWITCHBOARD_LIMITS.largeMetaBytes) return undefined;
    const _meta: unknown = JSON.parse(this.#text(meta.valueFrom, meta.to));
    return isObject(_meta) ? withoutHop(withoutOurMeta({ _meta })) : undefined;
  }

  /** The bytes of all members of the result that are passed on unchanged; neighbours are one piece. */
  #pieces(bytes: Buffer, result: Member): readonly Buffer[] {
    if (!this.#members.some(({ name }) => isRewritten(name)))
      return this.#members.length === 0 ? [] : [bytes.subarray(result.valueFrom + 1, result.to - 1)];
    const pieces: Buffer[] = [];
    for (let at = 0; at < this.#members.length; at++) {
      const first = at;
      while (at < this.#members.length && !isRewritten(this.#members[at]?.name ?? '')) at++;
      if (at > first) pieces.push(bytes.subarray(this.#members[first]?.from, this.#members[at - 1]?.to));
    }
    return pieces;
  }

  name(depth: number, from: number, to: number, hasEscapes: boolean): void {
    // The top-level `_meta` is parsed by itself, and Colibri's keys are removed from it. Anywhere else they are taken for forgeries.
    const mayBeOurs = hasEscapes || ((this.#bytes[from] as number) | LOWER_CASE) === LETTER_D;
    if (mayBeOurs && this.#inside !== '_meta' && isOurs(this.#name(from, to))) this.#scan.refuse();
    if (depth === 1) this.#begin(this.#frame, from, to);
    else if (depth === 2 && this.#isInResult) this.#begin(this.#members, from, to);
    else if (this.#inside === 'content') this.#links.name(depth, this.#bytes, from, to, hasEscapes);
  }

  #name(from: number, to: number): string {
    return JSON.parse(this.#text(from - 1, to + 1));
  }

  #begin(members: Member[], from: number, to: number): void {
    const name = this.#name(from, to);
    const isKnown = members === this.#members ? members.length < SWITCHBOARD_LIMITS.largeMembers : FRAME.has(name);
    if (!isKnown || members.some((member) => member.name === name)) this.#scan.refuse();
    members.push({ name, from: from - 1, valueFrom: -1, to: -1 });
  }

  #memberAt(depth: number): Member | undefined {
    if (depth === 1) return this.#frame.at(-1);
    return depth === 2 && this.#isInResult ? this.#members.at(-1) : undefined;
  }

  begin(depth: number, from: number): void {
    if (this.#inside === 'content') this.#links.begin(depth, from);
    const member = this.#memberAt(depth);
    if (member === undefined) return;
    member.valueFrom = from;
    if (depth === 1) this.#isInResult = member.name === 'result';
    else this.#inside = member.name;
    const first = ofMember(FIRST, member.name);
    if (first !== undefined && this.#bytes[from] !== first.charCodeAt(0)) this.#scan.refuse();
  }

  end(depth: number, to: number): void {
    const member = this.#memberAt(depth);
    if (depth === 1) this.#isInResult = false;
    else if (depth === 2) this.#inside = '';
    else if (this.#inside === 'content') this.#links.end(depth, this.#bytes, to);
    if (member === undefined) return;
    member.to = to;
    const only = ofMember(ONLY, member.name);
    const isIt =
      only === undefined || (to - member.valueFrom === only.length && this.#text(member.valueFrom, to) === only);
    if (!isIt) this.#scan.refuse();
  }
}
