// The stop signal of commands that run until somebody ends them, such as `log --follow`.
import { setTimeout as sleep } from 'node:timers/promises';

/** A signal that is aborted on Ctrl-C, on SIGTERM or SIGHUP, or when the reader of stdout closes it. */
export const untilStopped = (): { readonly signal: AbortSignal; end(): void } => {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort).once('SIGHUP', abort);
  process.stdout.once('error', abort).once('close', abort);
  const end = (): void => {
    process.off('SIGINT', abort).off('SIGTERM', abort).off('SIGHUP', abort);
    process.stdout.off('error', abort).off('close', abort);
  };
  return { signal: stop.signal, end };
};

/** Waits for `ms` milliseconds, or until the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});
