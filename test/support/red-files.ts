// A vitest reporter that writes the test files that were red, one a line, to the file that RED_FILES names. The gate (.ci/run) reads it.
import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

export const redFiles: Reporter = {
  onTestRunEnd: (files, unhandled) => {
    const to = process.env.RED_FILES;
    if (to === undefined) return;
    const red = files.filter((file) => file.state() === 'failed').map((file) => file.relativeModuleId);
    // An error outside of the tests is not a matter of one file: the gate must not take it for one.
    writeFileSync(to, unhandled.length > 0 ? '' : red.map((name) => `${name}\n`).join(''));
  },
};
