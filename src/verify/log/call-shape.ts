// A fast path for checking records of calls, which are nearly all records. Their canonical JSON has one shape: names in order, plain
// strings, whole numbers. One regular expression recognises the shape and extracts what the checks need. Any other text is parsed and
// compared with its canonical form, so only speed depends on this file.
import type { JsonObject } from '../../proof/canonical-json.js';
import { ARGS, ATTEMPT_ENDS, EFFECTS, OUTCOMES } from './kinds.js';
import { TESTS, TIME } from './members.js';

const { id: isId } = TESTS;

/** Matches a JSON string of ASCII without escapes, which can be spelled in only one way. */
const STRING = '"([ !#-[\\]-~]*)"';
const NUMBER = '(0|[1-9]\\d{0,14})';
const ANY_STRING = '"[ !#-[\\]-~]*"';
const ANY_NUMBER = '(?:0|[1-9]\\d{0,14})';
const AT = `"(${TIME})"`;
/** Matches hex digits. Their number is checked after the match, which is faster. */
const HEX = '"([0-9a-f]*)"';
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

// Matches the usual `call.enter` and `call.exit` records of docs/audit-format.md, and only values that kinds.ts accepts too. Records with
// further members, and the first record of a log, are checked by the slow path.
const ENTER = new RegExp(
  `^\\{"args":"(${words(ARGS)})",${maybe(`"args_bytes":${NUMBER},"args_digest":${HEX}`)}"at":${AT},"call":${STRING},` +
    `${maybe('"check":true')}"client":${CLIENT},${maybe(`"effect":"(${words(EFFECTS)})"`)}"instance":${STRING},"kind":"call\\.enter",` +
    `${maybe('"late":(true)')}"log":${HEX},"seq":${NUMBER},"sequence_no":${NUMBER},"tool":${STRING},"v":1\\}$`,
);
const EXIT = new RegExp(
  `^\\{"at":${AT},"call":${STRING},${maybe(`"code":${ANY_STRING}`)}${maybe(`"duration_us":${ANY_NUMBER}`)}` +
    `"kind":"call\\.exit",${maybe('"late":true')}"log":${HEX},"outcome":"${words(OUTCOMES)}",` +
    `${maybe(`"result_digest":${HEX}`)}${maybe(`"route":${ROUTE}`)}"seq":${NUMBER},"sequence_no":${NUMBER},"tool":${STRING},"v":1\\}$`,
);

const enterBody = (found: RegExpExecArray): JsonObject => ({
  args: found[1],
  args_bytes: found[2] === undefined ? undefined : Number(found[2]),
  args_digest: found[3],
  at: found[4],
  call: found[5],
  effect: found[6],
  instance: found[7],
  kind: 'call.enter',
  late: found[8] === undefined ? undefined : true,
  log: found[9],
  seq: Number(found[10]),
  sequence_no: Number(found[11]),
  tool: found[12],
  v: 1,
});

const exitBody = (found: RegExpExecArray): JsonObject => ({
  at: found[1],
  call: found[2],
  kind: 'call.exit',
  log: found[3],
  result_digest: found[4],
  seq: Number(found[5]),
  sequence_no: Number(found[6]),
  tool: found[7],
  v: 1,
});

const isLong = (value: unknown, chars: number): boolean => value === undefined || (value as string).length === chars;

/** Whether the hex texts of a record have the right lengths. */
const isSized = ({ log, call, instance, args_digest, result_digest }: JsonObject): boolean =>
  isLong(log, 32) &&
  isLong(args_digest ?? result_digest, 64) &&
  isId(call) &&
  (instance === undefined || isId(instance));

/** The members that the checks need from a canonical record of a call; undefined if the text has another shape. */
export const callIn = (text: string): JsonObject | undefined => {
  const exit = EXIT.exec(text);
  const enter = exit === null ? ENTER.exec(text) : null;
  const body = exit === null ? enter && enterBody(enter) : exitBody(exit);
  return body !== null && isSized(body) ? body : undefined;
};
