// Says in sentences what is wrong with the arguments of a call, from the issues that Zod found. The issues themselves go into the
// error's details as Zod wrote them.
import type * as z from 'zod';
import type { Tool } from '../call/context.js';
import { CORE_LIMITS } from '../core/limits.js';
import { nearest } from '../core/nearest.js';
import { name } from '../proof/records.js';
import { type ErrorBody, errorBody } from './envelope.js';
import { meantBy } from './meant.js';

type Issue = z.core.$ZodIssue;

/** The value that an issue is about. */
interface Found {
  /** The part of the issue's path that the arguments have. */
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
  /** True if the last member of the path is missing. */
  readonly isMissing: boolean;
}

/** Follows an issue's path into the arguments. The path may go on below a single value that was sent for a list. */
const find = (args: unknown, path: readonly PropertyKey[]): Found => {
  let value = args;
  for (const [depth, key] of path.entries()) {
    if (typeof value !== 'object' || value === null) return { path: path.slice(0, depth), value, isMissing: false };
    const isThere = Object.hasOwn(value, key);
    value = isThere ? (value as Record<PropertyKey, unknown>)[key] : undefined;
    if (value === undefined) return { path, value, isMissing: depth === path.length - 1 };
  }
  return { path, value, isMissing: false };
};

const placeOf = (path: readonly PropertyKey[]): string => (path.length === 0 ? '' : `${path.join('.')}: `);

const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= CORE_LIMITS.quotedChars ? text : `${text.slice(0, CORE_LIMITS.quotedChars).toWellFormed()}…`;
};

const keysOf = (tool: Tool): string[] => Object.keys(tool.config.inputSchema.shape);

const unknownKeys = (tool: Tool, { keys, path }: z.core.$ZodIssueUnrecognizedKeys): string => {
  const hints = keys.map((key) => {
    const near = path.length === 0 ? nearest(key, keysOf(tool)) : undefined;
    return near === undefined ? `"${key}"` : `"${key}" (did you mean "${near}"?)`;
  });
  return `${placeOf(path)}unknown ${hints.length === 1 ? 'key' : 'keys'} ${hints.join(', ')}`;
};

/** The values of an enum that an issue is about; undefined if it is about something else. */
const optionsOf = (issue: Issue): readonly string[] | undefined =>
  issue.code === 'invalid_value' && issue.values.length > 1 ? issue.values.map(String) : undefined;

const notAllowed = ({ path, value }: Found, options: readonly string[]): string => {
  const meant = typeof value === 'string' ? meantBy(value, options) : undefined;
  return `${placeOf(path)}${quoted(value)} is not allowed${meant === undefined ? '' : `, ${meant} is meant`}`;
};

/** The issues as sentences. Values that are not in their enum share one sentence, which lists the enum once. */
const sentences = (tool: Tool, issues: readonly Issue[], args: unknown): readonly string[] => {
  const said: string[] = [];
  const ofEnum = new Map<string, string[]>();
  for (const issue of issues) {
    const found = find(args, issue.path);
    const options = optionsOf(issue);
    if (found.isMissing) said.push(`${issue.path.join('.')} is missing`);
    else if (issue.code === 'unrecognized_keys') said.push(unknownKeys(tool, issue));
    else if (options === undefined) said.push(`${placeOf(found.path)}${issue.message}`);
    else {
      const allowed = options.join(', ');
      ofEnum.set(allowed, [...(ofEnum.get(allowed) ?? []), notAllowed(found, options)]);
    }
  }
  return [...said, ...[...ofEnum].map(([allowed, problems]) => `${problems.join('; ')} (allowed: ${allowed})`)];
};

/** Shortens a Zod issue: Zod names every unknown key twice, and a caller may have sent a hundred thousand unknown keys. */
const short = (issue: Issue): Issue =>
  issue.code === 'unrecognized_keys'
    ? { ...issue, keys: issue.keys.slice(0, CORE_LIMITS.issues).map(name), message: 'unknown keys' }
    : issue.code === 'invalid_union'
      ? { ...issue, errors: [] }
      : issue;

export const badArguments = (tool: Tool, issues: readonly Issue[], args: unknown): ErrorBody => {
  const shown = issues.slice(0, CORE_LIMITS.issues).map(short);
  return errorBody('INVALID_PARAMS', `schema validation failed: ${sentences(tool, shown, args).join('; ')}`, {
    issues: shown,
  });
};
