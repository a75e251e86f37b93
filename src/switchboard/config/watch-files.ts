// Says when files have changed, appeared or gone. Asks for their times once a second: that also sees files that are not there
// yet, are replaced by a rename, or lie where nobody sends notices.
import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { SWITCHBOARD_LIMITS } from '../limits.js';

const NOT_THERE = '';

const marksOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => [ino, size, mtimeMs, ctimeMs].join();

const quickLook = (file: string): string => {
  try {
    return marksOf(statSync(file));
  } catch {
    return NOT_THERE;
  }
};

/** Calls back when one of the files is other than at this moment: what is read from now on is never older. Returns how to stop. */
export const watchFiles = (files: readonly string[], changed: () => void): (() => void) => {
  let known = files.map(quickLook);
  let isLooking = false;
  let isOver = false;
  // Not statSync: a folder on a network that hangs must hang nobody but this.
  const look = async (): Promise<void> => {
    const marks = await Promise.all(files.map((file) => stat(file).then(marksOf, () => NOT_THERE)));
    const isOther = marks.some((mark, at) => mark !== known[at]);
    known = marks;
    if (isOther && !isOver) changed();
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, SWITCHBOARD_LIMITS.switchboardPollMs).unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
};
