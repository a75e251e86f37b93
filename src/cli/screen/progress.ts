// A progress line for long work: it is overwritten in place, is shown only on a terminal, and appears only if the work takes a while.
import { CLI_LIMITS } from '../limits.js';

export interface ProgressLine {
  update(done: number, total: number): void;
  end(): void;
}

const CLEAR = '\r\u001b[K';

export const progressOn = (
  stream: { readonly isTTY?: boolean; write(text: string): unknown },
  what: string,
  elapsedMs: () => number = () => performance.now(),
): ProgressLine => {
  if (stream.isTTY !== true) return { update: () => {}, end: () => {} };
  const began = elapsedMs();
  let shownAt = began + CLI_LIMITS.progressAfterMs - CLI_LIMITS.progressEveryMs;
  let shown = false;
  return {
    update: (done, total) => {
      const now = elapsedMs();
      if (now - shownAt < CLI_LIMITS.progressEveryMs) return;
      shownAt = now;
      shown = true;
      const percent = total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
      stream.write(`${CLEAR}${what} ${percent} %  ${done} of ${total}`);
    },
    end: () => {
      if (shown) stream.write(CLEAR);
    },
  };
};
