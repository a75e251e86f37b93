// Finds the frontmatter of a SKILL.md and parses it as YAML. Pure. Throws Unfit for a frontmatter that cannot be read.
// The text may be hostile, and the parser does not withstand that: 32,000 nested brackets ended the process (V8 aborts while it compiles
// a regular expression, which cannot be caught), 60,000 commas took seconds. So the text is measured before it is parsed.
import { type Document, LineCounter, parseDocument } from 'yaml';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { SKILL_LIMITS } from './limits.js';
import { Unfit } from './skill.js';

export interface Frontmatter {
  readonly value: JsonObject;
  /** The text of a scalar exactly as it is written in the file: `1.0`, not 1. */
  written(...path: readonly string[]): string | undefined;
  /** Keys whose unquoted text contains ': '. The text is read as plain text, as the format's guide for clients advises. */
  readonly mended: readonly string[];
}

const BOM = '\ufeff';
const OPEN = /^---[\t ]*\n/;
const CLOSE = /^---[\t ]*$/m;
/** Matches control characters, except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/;

/** Splits the text of a SKILL.md at the frontmatter. `whole` is true if `text` is the whole file, false if only its beginning. */
export const splitHead = (text: string, whole: boolean) => {
  const hasBom = text.startsWith(BOM);
  const lines = (hasBom ? text.slice(1) : text).replaceAll('\r\n', '\n');
  if (lines.trim() === '') throw new Unfit('SKILL.md is empty');
  const open = OPEN.exec(lines);
  if (open === null) throw new Unfit('SKILL.md does not begin with a line of three dashes');
  const rest = lines.slice(open[0].length);
  const close = CLOSE.exec(rest);
  if (close === null) {
    const within = whole ? '' : ` within ${SKILL_LIMITS.skillHeadBytes / 1024} KB`;
    throw new Unfit(`the frontmatter has no closing line of three dashes${within}`);
  }
  const body = rest.slice(close.index + close[0].length);
  return {
    /** The text of the frontmatter, between the two lines of dashes. */
    yaml: rest.slice(0, close.index),
    hasBom,
    /** True if there is text after the frontmatter, or if only a part of the file was read. */
    hasBody: !whole || body.trim() !== '',
  };
};

const MARKS = /[[\]{},:?&*!'"|>#%@\n]|- /g;
const BRACKETS = /[[{]/g;
const INDENT = /^(?:[\t ]|[-?:][\t ])*/gm;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** An upper bound of the nesting depth of a YAML text: the number of brackets plus the deepest indentation. */
const levels = (yaml: string): number =>
  count(yaml, BRACKETS) + Math.max(0, ...(yaml.match(INDENT) ?? []).map((indent) => indent.length));

const checkSize = (yaml: string): void => {
  if (CONTROL.test(yaml)) throw new Unfit('the frontmatter holds control characters');
  if (count(yaml, MARKS) > SKILL_LIMITS.skillYamlMarks) throw new Unfit('the frontmatter is too large');
  if (levels(yaml) > SKILL_LIMITS.skillYamlLevels) throw new Unfit('the frontmatter is nested too deeply');
};

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  stringKeys: true,
  merge: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

const parse = (yaml: string) => {
  const lineCounter = new LineCounter();
  const document = parseDocument(yaml, { ...OPTIONS, lineCounter });
  const [error] = document.errors;
  if (error === undefined) return { document, fault: undefined };
  // The YAML text begins after the file's first line, the line of dashes, so its line numbers are one too small.
  const line = lineCounter.linePos(error.pos[0]).line + 1;
  return { document, fault: `the frontmatter is not valid YAML: line ${line}, ${error.message}` };
};

/** Matches a top-level key with one line of unquoted text that contains a colon. That is not valid YAML, but people write it. */
const LOOSE = /^([A-Za-z][\w-]*):[\t ]+([^\s"'|>[{&*!%@`#].*:(?:[\t ].*)?)$/gm;

const mend = (yaml: string): { readonly yaml: string; readonly keys: readonly string[] } => {
  const keys: string[] = [];
  const quoted = yaml.replace(LOOSE, (_line, key: string, text: string) => {
    keys.push(key);
    return `${key}: '${text.trimEnd().replaceAll("'", "''")}'`;
  });
  return { yaml: quoted, keys };
};

const plain = (document: Document.Parsed): JsonObject => {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new Unfit('the frontmatter uses YAML aliases');
  }
  if (!isObject(value)) throw new Unfit('the frontmatter is not a list of keys and values');
  return value;
};

export const parseFrontmatter = (yaml: string): Frontmatter => {
  checkSize(yaml);
  const first = parse(yaml);
  const mended = first.fault === undefined ? { yaml, keys: [] } : mend(yaml);
  const { document, fault } = mended.keys.length === 0 ? first : parse(mended.yaml);
  if (fault !== undefined) throw new Unfit(first.fault ?? fault);
  return {
    value: plain(document),
    written: (...path) => {
      const node: unknown = document.getIn(path, true);
      const source = typeof node === 'object' && node !== null && 'source' in node ? node.source : undefined;
      return typeof source === 'string' ? source : undefined;
    },
    mended: mended.keys,
  };
};
