// Turns the frontmatter of a SKILL.md into the fields of a skill. As lenient as clients are: a skill with faults is listed, with notes about
// the faults. Every field has a bound. Pure. The rules: https://agentskills.io/specification
import { isObject, type JsonObject, jsonFault } from '../../proof/canonical-json.js';
import { CONTROL, type Frontmatter } from './frontmatter.js';
import { SKILL_LIMITS } from './limits.js';
import { type SkillFields, Unfit } from './skill.js';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Matches the skill names that clients list, including names that the specification does not allow. */
const LOOSE_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u;

const length = (text: string): number => [...text].length;
export const cutChars = (text: string, chars: number): string =>
  length(text) <= chars ? text : [...text].slice(0, chars).join('');
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** What is wrong with a skill. A skill with a breach is not offered to hosts; a remark has no effect. */
type Notes = (readonly [weight: 'breach' | 'remark', text: string])[];

const nameOf = (value: unknown, folder: string, notes: Notes): string => {
  if (value === undefined || value === null) {
    if (!LOOSE_NAME.test(folder) || length(folder) > SKILL_LIMITS.nameChars) throw new Unfit('it has no name');
    notes.push(['breach', 'it has no name; the name of its folder is used']);
    return folder;
  }
  if (typeof value !== 'string') throw new Unfit('name is not text; quote it');
  if (length(value) > SKILL_LIMITS.nameChars)
    throw new Unfit(`name is longer than ${SKILL_LIMITS.nameChars} characters`);
  if (!LOOSE_NAME.test(value)) throw new Unfit('name must be lower-case letters, digits and single hyphens');
  if (!NAME.test(value)) notes.push(['breach', 'name must be lower-case letters, digits and single hyphens']);
  else if (value !== folder) notes.push(['remark', `name "${value}" is not the name of its folder`]);
  return value;
};

const descriptionOf = (value: unknown, notes: Notes): string => {
  if (value === undefined || value === null || value === '') throw new Unfit('it has no description');
  if (!isText(value)) throw new Unfit('description is not text');
  if (CONTROL.test(value) || !value.isWellFormed()) throw new Unfit('description holds control characters');
  if (length(value) > SKILL_LIMITS.descriptionChars)
    notes.push(['breach', `description is longer than ${SKILL_LIMITS.descriptionChars} characters`]);
  return cutChars(value.trim(), SKILL_LIMITS.descriptionChars);
};

const optionalText = (value: unknown, chars: number, notes: Notes, wrong: Notes[number]): string | null => {
  if (value === undefined) return null;
  if (!isText(value) || length(value) > chars) notes.push(wrong);
  return isText(value) ? cutChars(value, chars) : null;
};

const checkMetadata = (value: unknown, notes: Notes): JsonObject => {
  if (value === undefined) return {};
  if (!isObject(value)) {
    notes.push(['breach', 'metadata must map text to text']);
    return {};
  }
  const odd = Object.entries(value).find(([, inner]) => typeof inner !== 'string')?.[0];
  if (odd !== undefined)
    notes.push(['breach', `metadata must map text to text: quote ${cutChars(odd, SKILL_LIMITS.nameChars)}`]);
  return value;
};

/** Matches a word of a text that is split at commas and spaces, but not inside parentheses: `Bash(npm run *), Read`. */
const WORD = /(?:\([^)]*\)?|[^\s,(])+/g;

const listOf = (key: string, value: unknown, notes: Notes): readonly string[] | null => {
  if (value === undefined || value === null) return null;
  const words = typeof value === 'string' ? (value.match(WORD) ?? []) : Array.isArray(value) ? value : undefined;
  if (words === undefined || !words.every(isText)) {
    notes.push(['remark', `${key} must be text or a list of texts`]);
    return null;
  }
  let chars = 0;
  const fitting = words.filter((word) => {
    chars += length(word);
    return chars <= SKILL_LIMITS.listChars;
  });
  if (fitting.length < words.length) notes.push(['remark', `${key} is too long and was cut`]);
  return fitting;
};

const versionOf = (front: Frontmatter, metadata: JsonObject): string | null => {
  const path = front.value.version === undefined ? ['metadata', 'version'] : ['version'];
  const value = path.length === 1 ? front.value.version : metadata.version;
  if (typeof value === 'string') return value === '' ? null : cutChars(value, SKILL_LIMITS.nameChars);
  return typeof value === 'number' ? cutChars(front.written(...path) ?? String(value), SKILL_LIMITS.nameChars) : null;
};

/** Refuses a frontmatter with a value that JSON cannot hold or a `__proto__` key, before it reaches a host or a record. */
const checkValue = (value: JsonObject): void => {
  const fault = jsonFault(value, SKILL_LIMITS.frontmatterDepth);
  if (fault !== undefined) throw new Unfit(`the frontmatter cannot be written as JSON: ${fault}`);
  if (JSON.stringify(value).includes('"__proto__":')) throw new Unfit('the frontmatter has a key "__proto__"');
};

/** The fields of a skill; `notes` say what is wrong with a skill that is listed nevertheless. */
export const readFields = (front: Frontmatter, folder: string) => {
  const { value } = front;
  checkValue(value);
  const notes: Notes = [];
  for (const key of front.mended) notes.push(['breach', `${key} holds ": " and must be quoted`]);
  const metadata = checkMetadata(value.metadata, notes);
  const fields: SkillFields = {
    name: nameOf(value.name, folder, notes),
    description: descriptionOf(value.description, notes),
    version: versionOf(front, metadata),
    license: optionalText(value.license, SKILL_LIMITS.licenseChars, notes, [
      'remark',
      'license should be a short text',
    ]),
    compatibility: optionalText(value.compatibility, SKILL_LIMITS.compatibilityChars, notes, [
      'breach',
      `compatibility must be a text of at most ${SKILL_LIMITS.compatibilityChars} characters`,
    ]),
    capabilities: listOf('capabilities', value.capabilities ?? metadata.capabilities, notes),
    allowedTools: listOf('allowed-tools', value['allowed-tools'], notes),
  };
  return { fields, notes: notes.map(([, text]) => text), conforms: notes.every(([weight]) => weight === 'remark') };
};
