// Clocks and timers: the wall clock in the format of records (ISO 8601, UTC, milliseconds), a monotonic clock, and a timer for processes
// that may be suspended. The text of a time is made once per millisecond.
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

// A timer for a process that may have been suspended (SIGSTOP, a closed laptop). After waking up, timers fire before any input is read,
// although the awaited input may already be in the pipe. So a timer that is late waits a little longer, so that input is read first.

export interface AwakeTimer {
  cancel(): void;
}

export interface AwakeChoice {
  /** If true, the timer does not keep the process running. */
  readonly unref?: true;
  /** A monotonic clock in milliseconds. */
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

/** The monotonic clock in milliseconds, for durations. */
export const monotonicMs = (): number => performance.now();

/** Resolves to the promise's value, or to undefined after `ms` milliseconds. Rejects if the promise rejects. */
export const within = <T>(promise: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
