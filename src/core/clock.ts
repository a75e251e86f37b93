// The wall clock as records carry it: ISO 8601, UTC, milliseconds. The text is made once per millisecond.
import { CORE_LIMITS } from './limits.js';

export type Clock = () => string;

export const isoClock = (epochMs: () => number = Date.now): Clock => {
  let lastMs = Number.NaN;
  let text = '';
  return () => {
    const nowMs = epochMs();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = new Date(nowMs).toISOString();
    }
    return text;
  };
};

// A timer that knows that the process may have slept: stopped, or the lid closed. When it wakes up, timers are due before
// anything was read, and what they wait for may lie on the pipe already. So a timer that is late fires only after a while in
// which input is read.

export interface AwakeTimer {
  cancel(): void;
}

export interface AwakeChoice {
  /** The process may end before it fires. */
  readonly unref?: true;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

export const awakeTimer = (
  ms: number,
  fire: () => void,
  { unref, nowMs = monotonicMs }: AwakeChoice = {},
): AwakeTimer => {
  const arm = (afterMs: number, ring: () => void): NodeJS.Timeout => {
    const armed = setTimeout(ring, afterMs);
    return unref === true ? armed.unref() : armed;
  };
  const due = nowMs() + ms;
  let timer = arm(ms, () => {
    if (nowMs() - due < CORE_LIMITS.lateTimerMs) fire();
    else timer = arm(CORE_LIMITS.awakeMs, fire);
  });
  return { cancel: () => clearTimeout(timer) };
};

/** Monotonic, for durations. */
export const monotonicMs = (): number => performance.now();
