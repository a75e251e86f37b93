// Reports when files have changed, appeared or disappeared. The files are polled once a second, which also works if they do not exist yet, are
// replaced by a rename, or are on a file system without change events.

import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { quietly } from '../../errors.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

const NOT_THERE = '';

const marksOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => [ino, size, mtimeMs, ctimeMs].join();

const quickLook = (file: string): string => quietly(() => marksOf(statSync(file))) ?? NOT_THERE;

/** Calls `changed` whenever a file has changed since `watchFiles` was called or since the last report. Returns a function that ends the watching. */
export const watchFiles = (files: readonly string[], changed: () => void): (() => void) => {
  let known = files.map(quickLook);
  let isLooking = false;
  let isOver = false;
  // `stat` is asynchronous, unlike statSync: a network folder that hangs must not block the whole process.
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
