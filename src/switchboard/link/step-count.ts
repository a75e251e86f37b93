// Estimates from its bytes how much work a JSON text is, before it is parsed: ten megabytes may hold five million values, and parsing, hashing
// and writing them would block the process for seconds. The text may come in pieces of any size.
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

/** No text has more than four steps a byte: a member with its name, colon and value takes at least four bytes. */
const BYTES_AT_LEAST = Math.floor(SWITCHBOARD_LIMITS.answerSteps / 4);

export const TOO_MUCH = `had too many values (more than ${SWITCHBOARD_LIMITS.answerSteps} steps) and was dropped`;

export class StepCount {
  readonly #isEvents: boolean;
  #steps = 0;
  #inString = false;
  #escaped = false;
  #before = 0;

  /** `isEvents`: the bytes are a stream of events, and the steps of each are counted separately. */
  constructor(isEvents = false) {
    this.#isEvents = isEvents;
  }

  /** False: it is too much. Every byte passes here, so the counters are local variables in the loop. */
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
        // A JSON string does not span lines: what seems to was not a string, such as a quote in an SSE comment.
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

/** Whether a whole message is too much; most are too short for that. */
export const isTooMuch = (message: Uint8Array): boolean =>
  message.length > BYTES_AT_LEAST && !new StepCount().push(message);
