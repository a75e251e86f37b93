// A fast path for checking records of calls, which are nearly all records. Their canonical JSON has one shape: names in order, plain
// strings, whole numbers. One regular expression recognises a record of this shape with its columns, which must repeat what the JSON says,
// and extracts what the checks need. Any other record is parsed and compared with its canonical form, so only speed depends on this file.
import type { JsonObject } from '../../proof/canonical-json.js';
import { ATTEMPT_ENDS, EFFECTS, OUTCOMES } from './kinds.js';
import { COLUMN_END, LEAF_MARK } from './ledger-repository.js';
import { TESTS, TIME } from './members.js';

const { hex32: isLog, id: isId } = TESTS;

/** Matches a JSON string of ASCII without escapes, which can be spelled in only one way. */
const PLAIN = '([ !#-[\\]-~]*)';
const STRING = `"${PLAIN}"`;
const NUMBER = '(0|[1-9]\\d{0,14})';
const ANY_STRING = '"[ !#-[\\]-~]*"';
const ANY_NUMBER = '(?:0|[1-9]\\d{0,14})';
const words = (all: readonly string[]): string => `(?:${all.join('|')})`;
const CLIENT = `(?:null|\\{"name":${ANY_STRING},"protocol":${ANY_STRING},"version":${ANY_STRING}\\})`;

const maybe = (members: string): string => `(?:${members},)?`;
const list = (item: string): string => `\\[(?:${item}(?:,${item})*)?\\]`;

const CANDIDATE =
  `\\{"eligible":(?:true|false),${maybe(`"reason":${ANY_STRING}`)}"server":${ANY_STRING},` +
  `"state":(?:null|${ANY_STRING}),"tool":${ANY_STRING}\\}`;
const ATTEMPT =
  `\\{${maybe(`"code":${ANY_STRING}`)}"duration_ms":${ANY_NUMBER},"how":"${words(ATTEMPT_ENDS)}","sent":(?:true|false),` +
  `"server":${ANY_STRING},"tool":${ANY_STRING}\\}`;
const ROUTE = `\\{"attempts":${list(ATTEMPT)},"candidates":${list(CANDIDATE)},"name":(?:null|${ANY_STRING})\\}`;

/** Only a call that goes to another server names a definition. */
const DEFINITION = '"definition":"[0-9a-f]{64}"(?=,"effect":"proxy")';

const HASH = '([0-9a-f]{64})';
const columns = (kind: string, sequenceNo: string, tool: string): string =>
  [NUMBER, sequenceNo, kind, `(${TIME})`, HASH, tool].join(COLUMN_END) + LEAF_MARK;

// The patterns match the usual `call.enter` and `call.exit` records of docs/audit-format.md, and only values that kinds.ts accepts too.
// Records with further members, and the first record of a log, are checked by the slow path. A number like \1 stands for what that group
// of the pattern has matched: so the JSON must repeat the columns.

/** Groups: 1 seq, 2 at, 3 leaf, 4 tool, 5 args unless `stored`, 6 args_bytes, 7 args_digest, 8 call, 9 effect, 10 instance, 11 late. */
const enterPattern = (log: string): string =>
  `${columns('call\\.enter', '\\1', PLAIN)}\\{"args":"(?:(empty|none)"|stored","args_bytes":${NUMBER},"args_digest":"${HASH}"),` +
  `"at":"\\2","call":${STRING},${maybe('"check":true')}"client":${CLIENT},${maybe(DEFINITION)}${maybe(`"effect":"(${words(EFFECTS)})"`)}` +
  `"instance":${STRING},"kind":"call\\.enter",${maybe('"late":(true)')}"log":"${log}","seq":\\1,"sequence_no":\\1,"tool":"\\4","v":1\\}`;

/** What an outcome has as `sequence_no`, `tool` and `call`, and the numbers of its groups. */
interface ExitGroups {
  readonly sequenceNo: string;
  readonly tool: string;
  readonly call: string;
  readonly numbers: { readonly seq: number; readonly sequenceNo: number; readonly at: number; readonly tool: number };
}

const exitPattern = (log: string, { sequenceNo, tool, call, numbers }: ExitGroups): string =>
  `${columns('call\\.exit', sequenceNo, tool)}\\{"at":"\\${numbers.at}","call":"${call}",${maybe(`"code":${ANY_STRING}`)}` +
  `${maybe(`"duration_us":${ANY_NUMBER}`)}"kind":"call\\.exit",${maybe('"late":true')}"log":"${log}","outcome":"${words(OUTCOMES)}",` +
  `${maybe('"result_digest":"[0-9a-f]{64}"')}${maybe(`"route":(${ROUTE})`)}` +
  `"seq":\\${numbers.seq},"sequence_no":\\${numbers.sequenceNo},"tool":"\\${numbers.tool}","v":1\\}`;

/** An outcome by itself. Groups: 1 seq, 2 sequence_no, 3 at, 4 leaf, 5 tool, 6 call, 7 route. */
const ALONE: ExitGroups = {
  ...{ sequenceNo: NUMBER, tool: PLAIN, call: PLAIN },
  numbers: { seq: 1, sequenceNo: 2, at: 3, tool: 5 },
};
/** The outcome of the intent on the line before, which it repeats. Groups: 12 seq, 13 at, 14 leaf, 15 route. */
const AFTER_INTENT: ExitGroups = {
  ...{ sequenceNo: '\\1', tool: '\\4', call: '\\8' },
  numbers: { seq: 12, sequenceNo: 1, at: 13, tool: 4 },
};
const END = '(?=\\n|$)';

/** A record of a call: the members that the checks need, and the columns that the JSON does not repeat. */
export interface CallLine {
  readonly body: JsonObject;
  readonly leaf: string;
  /** Where the line ends. */
  readonly end: number;
}

/** The two records of a call on lines that follow each other: the outcome names the intent. */
export interface CallPair {
  readonly intent: JsonObject;
  readonly leaves: readonly [string, string];
  /** The member `route` of the outcome. */
  readonly route: unknown;
  /** Where the second line ends. */
  readonly end: number;
}

const intentIn = (found: RegExpExecArray, log: string): JsonObject => ({
  args: found[5] ?? 'stored',
  args_bytes: found[6] === undefined ? undefined : Number(found[6]),
  args_digest: found[7],
  at: found[2],
  call: found[8],
  effect: found[9],
  instance: found[10],
  kind: 'call.enter',
  late: found[11] === undefined ? undefined : true,
  log,
  seq: Number(found[1]),
  sequence_no: Number(found[1]),
  tool: found[4],
  v: 1,
});

/** A record has a route only if its call was passed on, so few are parsed. */
const routeIn = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));

const outcomeIn = (found: RegExpExecArray, log: string): JsonObject => ({
  at: found[3],
  call: found[6],
  kind: 'call.exit',
  log,
  seq: Number(found[1]),
  sequence_no: Number(found[2]),
  route: routeIn(found[7]),
  tool: found[5],
  v: 1,
});

const isNamed = ({ call, instance }: JsonObject): boolean => isId(call) && (instance === undefined || isId(instance));

/** Reads records of calls at a place in a text of `recordLines`; undefined if the lines there have another shape. */
export interface CallReader {
  line(text: string, at: number): CallLine | undefined;
  pair(text: string, at: number): CallPair | undefined;
}

const NOTHING: CallReader = { line: () => undefined, pair: () => undefined };

/** Returns a reader of the lines of one log. Ids of logs that Colibri never made are not put into a pattern. */
export const callReader = (log: string): CallReader => {
  if (!isLog(log)) return NOTHING;
  const enter = new RegExp(enterPattern(log) + END, 'y');
  const exit = new RegExp(exitPattern(log, ALONE) + END, 'y');
  const both = new RegExp(`${enterPattern(log)}\\n${exitPattern(log, AFTER_INTENT)}${END}`, 'y');
  const match = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  return {
    line: (text, at) => {
      const ended = match(exit, text, at);
      const found = ended ?? match(enter, text, at);
      if (found === null) return undefined;
      const body = ended === null ? intentIn(found, log) : outcomeIn(found, log);
      const leaf = found[ended === null ? 3 : 4] ?? '';
      return isNamed(body) ? { body, leaf, end: (ended === null ? enter : exit).lastIndex } : undefined;
    },
    pair: (text, at) => {
      const found = match(both, text, at);
      if (found === null) return undefined;
      const intent = intentIn(found, log);
      const leaves = [found[3] ?? '', found[14] ?? ''] as const;
      return isNamed(intent) ? { intent, leaves, route: routeIn(found[15]), end: both.lastIndex } : undefined;
    },
  };
};
