// Estimates from the bytes of a JSON text, before it is parsed, how much work (how many steps) the text will be: ten megabytes may hold five
// million values, and to parse, hash and write them would block the process for seconds. The text may come in pieces of any size.
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

/** The steps of a text of at most this many bytes are not counted: at four steps per byte, the most of any JSON text, they are few enough. */
export const UNCOUNTED_BYTES = Math.floor(SWITCHBOARD_LIMITS.answerSteps / 4);

export const TOO_MUCH = `had too many values (more than ${SWITCHBOARD_LIMITS.answerSteps} steps) and was dropped`;

export class StepCount {
  readonly #isEvents: boolean;
  #steps = 0;
  #inString = false;
  #escaped = false;
  #before = 0;

  /** `isEvents`: true if the bytes are a stream of events (SSE); the steps of each event are then counted separately. */
  constructor(isEvents = false) {
    this.#isEvents = isEvents;
  }

  /** Adds the steps of the text's next bytes; returns false if the text has more than `answerSteps`. Local variables make the loop fast. */
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
        // A JSON string ends on its line. So a quote that is still open at the end of a line, as in an SSE comment, did not begin a string.
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
