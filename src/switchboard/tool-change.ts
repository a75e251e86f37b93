// Says in which members a tool's object, as its server sends it, differs from the one that was approved.
import { quietly } from '../errors.js';
import { canonicalJson, isObject } from '../proof/canonical-json.js';
import { declarationOf } from './definition.js';

/** What became of a tool since it was approved. */
export interface ToolChanged {
  /** The names of the members that differ; `new tool` if no tool of that name was approved. */
  readonly what: readonly string[];
  /** The SHA-256 of the whole object that was approved; null if there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : (quietly(() => canonicalJson(value)) ?? 'no JSON text');

const digestOf = (declared: unknown): string | null => declarationOf(declared)?.digest ?? null;

/** How a tool differs from the approved one; undefined if it does not. `approved`: undefined if no such tool was approved. */
export const toolChange = (approved: unknown, now: unknown): ToolChanged | undefined => {
  const after = digestOf(now);
  if (!isObject(approved)) return { what: ['new tool'], before: null, after };
  const before = digestOf(approved);
  if (before !== null && before === after) return undefined;
  const names = new Set([...Object.keys(approved), ...(isObject(now) ? Object.keys(now) : [])]);
  const members = isObject(now) ? now : {};
  const what = [...names].filter((name) => textOf(approved[name]) !== textOf(members[name])).sort();
  return { what, before, after };
};
