import { describe, expect, it } from 'vitest';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { StepCount } from './step-count.js';

const { answerSteps } = SWITCHBOARD_LIMITS;
const bytes = (text: string): Buffer => Buffer.from(text);
const isTooMuch = (message: Buffer): boolean => !new StepCount().push(message);
/** Of a list: two steps for it, one for each comma. */
const list = (values: number): Buffer => bytes(`[${'0,'.repeat(values - 1)}0]`);

describe('the steps of a message', () => {
  it('are counted on both sides of the bound', () => {
    expect(isTooMuch(list(answerSteps - 1))).toBe(false);
    expect(isTooMuch(list(answerSteps))).toBe(true);
    expect(isTooMuch(bytes(`{${'"a":1,'.repeat(answerSteps / 10)}`))).toBe(true);
  });

  it('are none inside of a text', () => {
    const marks = ',:[{'.repeat(answerSteps);
    expect(isTooMuch(bytes(`["${marks}\\"${marks}\\\\"]`))).toBe(false);
    expect(isTooMuch(bytes(`["\\\\"${marks}]`))).toBe(true);
  });

  it('do not depend on how the message is cut', () => {
    const text = bytes(`["\\"\\\\", "${'[,'.repeat(answerSteps)}"]`);
    for (const size of [1, 1_000]) {
      const count = new StepCount();
      let isFine = true;
      for (let at = 0; at < text.length; at += size) isFine &&= count.push(text.subarray(at, at + size));
      expect(isFine, `${size}`).toBe(true);
    }
  });

  it('are those of one event in a stream of them', () => {
    const half = `data: ${list(answerSteps * 0.6)}`;
    expect(new StepCount(true).push(bytes(`${half}\n\n${half}\n\n`))).toBe(true);
    expect(new StepCount(true).push(bytes(`${half}\n${half}\n\n`))).toBe(false);
    expect(new StepCount().push(bytes(`${half}\n\n${half}\n\n`))).toBe(false);
    // What looks like the beginning of a text hides nothing behind the end of its line.
    expect(new StepCount(true).push(bytes(`: "\n${half}\n${half}\n\n`))).toBe(false);
  });
});
