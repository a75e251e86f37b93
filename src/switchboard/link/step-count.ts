// How much work a JSON text will be, told from its bytes before anybody reads it: ten megabytes may hold five million values, and
// to parse, digest and write them again would keep everybody waiting for seconds. Any cut into pieces.
import { SWITCHBOARD_LIMITS } from '../limits.js';

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const STEPS = new Uint8Array(256);
for (const [byte, steps] of [
  [',', 1],
  ['[', 2],
  ['{', 2],
  [':', 10],
] as const)
  STEPS[byte.charCodeAt(0)] = steps;

/** Nothing has more than four steps a byte: a name with what stands around it takes four bytes at least. */
const BYTES_AT_LEAST = Math.floor(SWITCHBOARD_LIMITS.answerSteps / 4);

export const TOO_MUCH = `had too many values (more than ${SWITCHBOARD_LIMITS.answerSteps} steps) and was dropped`;

export class StepCount {
  readonly #isEvents: boolean;
  #steps = 0;
  #inString = false;
  #escaped = false;
  #before = 0;

  /** In a stream of events each one has steps of its own. */
  constructor(isEvents = false) {
    this.#isEvents = isEvents;
  }

  /** False: it is too much. Every byte passes here: what changes with each is kept out of the object. */
  push(bytes: Uint8Array): boolean {
    const isEvents = this.#isEvents;
    let steps = this.#steps;
    let most = steps;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let before = this.#before;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === LF) {
        // No string of JSON goes over the end of a line: one that seems to was none, such as a quote in a comment.
        inString = false;
        escaped = false;
        if (isEvents && before === LF) steps = 0;
      } else if (inString) {
        if (escaped) escaped = false;
        else if (byte === QUOTE) inString = false;
        else escaped = byte === BACKSLASH;
      } else if (byte === QUOTE) inString = true;
      else {
        steps += STEPS[byte] as number;
        if (steps > most) most = steps;
      }
      before = byte;
    }
    this.#steps = steps;
    this.#inString = inString;
    this.#escaped = escaped;
    this.#before = before;
    return most <= SWITCHBOARD_LIMITS.answerSteps;
  }
}

/** A whole message; most are too short to be too much. */
export const isTooMuch = (message: Uint8Array): boolean =>
  message.length > BYTES_AT_LEAST && !new StepCount().push(message);
