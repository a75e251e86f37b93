// What a page holds: records of logs with one multiproof each, the texts that are stored beside them, and the rows that they name. Reading is
// strict about the form; whether it is true is checked in page-check.ts.
import { isObject, type JsonObject } from './canonical-json.js';
import { isHexHash, isIndex } from './proof-file.js';

export const PAGE_FORMAT = 'colibri.dev/page@v1';

/** A text stored beside a record, such as a call's arguments: the record's number, the salt of the text's digest, the text. */
export type PagePayload = readonly [seq: number, salt: string, json: string];

/** A row (a task, a session) as its digest covers it, and the record that last changed it, which need not be shown. */
export interface PageRow {
  readonly seq: number;
  readonly row: JsonObject;
}

/** A thought as its hash covers it, and its content, if that is shown. */
export interface PageThought {
  readonly seq: number;
  readonly record: JsonObject;
  readonly content: string | null;
  readonly salt: string | null;
}

export interface PageLog {
  /** The public key, in the form of C2SP signed notes. */
  readonly vkey: string;
  /** The machine and user that write the log. Not proved: the log's first record says it too. */
  readonly node: string;
  /** How many records the log had when the page was made. Only the size in the checkpoint is proved. */
  readonly size: number;
  /** The signed checkpoint that the records are proved under; null if nothing was signed yet. */
  readonly checkpoint: string | null;
  /** The shown records, in order. Their canonical JSON is what the tree has. */
  readonly records: readonly JsonObject[];
  /** The multiproof: the roots of the subtrees without shown records. */
  readonly nodes: readonly string[];
  readonly payloads: readonly PagePayload[];
  readonly rows: readonly PageRow[];
  readonly thoughts: readonly PageThought[];
  /** The definitions of tools that the intents of calls name, each with its digest. */
  readonly definitions: readonly (readonly [digest: string, text: string])[];
}

/** What the page was asked to show. All null: everything, or the newest part of it. */
export interface PageScope {
  readonly task: string | null;
  readonly session: string | null;
  readonly since: string | null;
}

export interface PageData {
  readonly format: typeof PAGE_FORMAT;
  readonly version: string;
  readonly made_at: string;
  /** The name of the project; null if there is none. */
  readonly project: string | null;
  readonly scope: PageScope;
  /** Whether the texts beside the records were put into the page. */
  readonly payloads: 'shown' | 'left out';
  readonly logs: readonly PageLog[];
  /** What no record proves: the state of servers and leases when the page was made. */
  readonly unproved: JsonObject;
}

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isTextOrNull: Test = (value) => value === null || isText(value);
const isSalt: Test = (value) => typeof value === 'string' && /^(?:[0-9a-f]{2}){1,64}$/.test(value);
const isListOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);

/** Whether a value is an object with exactly these members. A member that nobody checks must not be there. */
const isLike =
  (members: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isObject(value) &&
    Object.keys(value).length === Object.keys(members).length &&
    Object.entries(members).every(([name, test]) => Object.hasOwn(value, name) && test(value[name]));

const isPayload: Test = (value) =>
  Array.isArray(value) && value.length === 3 && isIndex(value[0]) && isSalt(value[1]) && isText(value[2]);

const isDefinition: Test = (value) =>
  Array.isArray(value) && value.length === 2 && isHexHash(value[0]) && isText(value[1]);

const isRow = isLike({ seq: isIndex, row: isObject });

const isThought: Test = (value) =>
  isLike({ seq: isIndex, record: isObject, content: isTextOrNull, salt: (salt) => salt === null || isSalt(salt) })(
    value,
  ) &&
  isObject(value) &&
  // Content without its salt could not be checked.
  (value.content === null) === (value.salt === null);

const isLog = isLike({
  vkey: isText,
  node: isText,
  size: isIndex,
  checkpoint: isTextOrNull,
  records: isListOf(isObject),
  nodes: isListOf(isHexHash),
  payloads: isListOf(isPayload),
  rows: isListOf(isRow),
  thoughts: isListOf(isThought),
  definitions: isListOf(isDefinition),
});

const isPage = isLike({
  format: (value) => value === PAGE_FORMAT,
  version: isText,
  made_at: isText,
  project: isTextOrNull,
  scope: isLike({ task: isTextOrNull, session: isTextOrNull, since: isTextOrNull }),
  payloads: (value) => value === 'shown' || value === 'left out',
  logs: isListOf(isLog),
  unproved: isObject,
});

/** The data of a page in a parsed JSON value; undefined if it does not have exactly the form of one. */
export const readPageData = (value: unknown): PageData | undefined =>
  isPage(value) ? (value as unknown as PageData) : undefined;
