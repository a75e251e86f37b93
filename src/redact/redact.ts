// Removes secrets from texts and JSON values before they are hashed, stored or shown. A secret is recognized by the shape of a value, by
// the name before it or by the name of its field.
import { CORE_LIMITS } from '../core/limits.js';
import { quietly } from '../errors.js';
import { jsonFault } from '../proof/canonical-json.js';
import { name } from '../proof/records.js';
import { REDACT_LIMITS } from './limits.js';
import { isSecretName } from './names.js';
import { secretSpans } from './scan.js';
import type { Spans } from './tokens.js';

export const REDACTED = '[redacted]';

const ordered = (spans: Spans): (readonly [number, number])[] =>
  Array.from({ length: spans.length / 2 }, (_, i): readonly [number, number] => [
    spans[2 * i] as number,
    spans[2 * i + 1] as number,
  ]).toSorted((a, b) => a[0] - b[0] || b[1] - a[1]);

/** Replaces each span of a text by `[redacted]`; overlapping spans become one. */
const cutOut = (text: string, spans: Spans): string => {
  let kept = '';
  let done = 0;
  let isOpen = false;
  for (const [from, to] of ordered(spans)) {
    if (from < done || (isOpen && from === done)) {
      done = Math.max(done, to);
      continue;
    }
    kept += `${text.slice(done, from)}${REDACTED}`;
    done = to;
    isOpen = true;
  }
  return kept + text.slice(done);
};

/**
 * Matches something without which there is no secret: a sign (any character but letters, digits and `_., `; a hyphen unless it is inside a
 * word), a run of characters as long as the shortest token, or a word after which a secret may stand without a sign. Most names and titles
 * have none of these.
 */
const SUSPICIOUS = /[^\w., -]|\B-|-\B|[\w.-]{15}|bearer|basic|machine/i;

const withoutSecrets = (text: string, byName: boolean): string => {
  if (!SUSPICIOUS.test(text)) return text;
  const spans = secretSpans(text, byName);
  return spans.length === 0 ? text : cutOut(text, spans);
};

/** Removes secrets from texts written by programs: messages, log lines, arguments. */
export const redactText = (text: string): string => withoutSecrets(text, true);

/** Removes secrets from texts written by people: only what has the shape of a secret, not what merely follows a name such as "password" in a sentence. */
export const redactShapes = (text: string): string => withoutSecrets(text, false);

/** Matches texts that contain only characters which names usually have. Other texts are not treated as names, even where a name is expected. */
const NAME = /^[\w.:/@-]*$/;

/** Removes secrets from names that somebody chose: of a field, a tool, a client. */
const redactName = (text: string): string => (NAME.test(text) ? redactShapes(text) : redactText(text));

/**
 * A cache of names and their forms for records (without secrets, cut to length), up to a bound: every call has the names of its tool and
 * server, mostly the same ones. The cache changes no result.
 */
const known = new Map<string, string>();

/**
 * Prepares a name, code or text from other programs for a record: removes secrets, then cuts it to length. A secret that was hashed into a
 * record could never be erased.
 */
export const asName = (text: string): string => {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made = name(redactName(text));
  if (text.length > REDACT_LIMITS.rememberedNameChars) return made;
  if (known.size >= REDACT_LIMITS.rememberedNames) known.clear();
  known.set(text, made);
  return made;
};

/** Replaces every text in the value of a secret field; numbers and booleans are not secret and stay. */
const blank = (value: unknown): unknown => {
  if (typeof value === 'string') return REDACTED;
  if (value === null || typeof value !== 'object') return value;
  return Array.isArray(value) ? value.map(blank) : mapMembers(value, blank);
};

/** Maps the members of an object. A key may be a secret too; two redacted keys of one object become one, since a key can exist only once. */
const mapMembers = (value: object, map: (inner: unknown, key: string) => unknown): object => {
  let isChanged = false;
  const members = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const member: [string, unknown] = [redactName(key), map(inner, key)];
    isChanged ||= member[0] !== key || member[1] !== inner;
    return member;
  });
  return isChanged ? Object.fromEntries(members) : value;
};

/** Whether an array element is a flag whose secret value is the next element: `["--token", "x"]`. */
const flagIn = (element: unknown): boolean =>
  typeof element === 'string' && element.startsWith('-') && !element.includes('=') && isSecretName(element);

/** Whether a value is a pair of name and value, as headers often are: `[["x-api-key", "x"], …]`. */
const isMember = (value: unknown): value is readonly [string, unknown] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';

const redactMember = ([key, inner]: readonly [string, unknown]): readonly unknown[] =>
  isSecretName(key) ? [key, blank(inner)] : redactList([key, inner]);

const redactList = (list: readonly unknown[]): readonly unknown[] => {
  if (list.length > 0 && list.every(isMember)) {
    const members = list.map(redactMember);
    return members.some((member, i) => member[1] !== list[i]?.[1] || member[0] !== list[i]?.[0]) ? members : list;
  }
  const made = list.map((inner, i) => (flagIn(list[i - 1]) && !isFlag(inner) ? blank(inner) : redact(inner)));
  return made.some((inner, i) => inner !== list[i]) ? made : list;
};

const isFlag = (value: unknown): boolean => typeof value === 'string' && value.startsWith('-');

/** Whether an object names a secret in one of its values: `{"name": "API_KEY", "value": "x"}`. */
const namesSecret = (value: object): boolean => {
  if (!('value' in value)) return false;
  const { name, key, header } = value as Readonly<Record<string, unknown>>;
  return [name, key, header].some((one) => typeof one === 'string' && isSecretName(one));
};

/** The value of a text that is a JSON object or array; otherwise undefined. */
const parsedJson = (text: string): object | undefined => {
  const last = text.endsWith('}') || text.endsWith(']');
  if (!last || !/^\s{0,64}[[{]/.test(text) || text.length > REDACT_LIMITS.jsonChars) return undefined;
  const value = quietly(() => JSON.parse(text) as object);
  // A value nested deeper than arguments may be is treated as plain text, so that nobody can make the search for secrets fail.
  return jsonFault(value, CORE_LIMITS.argumentDepth) === undefined ? value : undefined;
};

/** Removes secrets from a text, parsed as JSON if it is JSON: an escaped secret, perhaps escaped several times, looks different from one in plain text. */
const redactJsonText = (text: string): string => {
  const value = parsedJson(text);
  const made = value === undefined ? value : redact(value);
  return redactText(made === value ? text : JSON.stringify(made));
};

/** Returns a JSON value without secrets; the value itself if it holds none. */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactJsonText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return redactList(value);
  const isPair = namesSecret(value);
  return mapMembers(value, (inner, key) =>
    isSecretName(key) || (isPair && key === 'value') ? blank(inner) : redact(inner),
  );
};

export { isSecretName };
