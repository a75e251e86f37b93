// Reads the switchboard file and says when it has changed. Asks the file's times once a second: that also sees files that are
// not there yet, are replaced by a rename, or lie where nobody sends notices.
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { dirname } from 'node:path';
import { LIMITS } from '../limits.js';
import { parseSwitchboard, type SwitchboardConfig } from './config.js';
import type { Environment } from './variables.js';

/** The file as it is now; one that cannot be read is a file with one error. */
export const readSwitchboard = (file: string, env: Environment): SwitchboardConfig => {
  const around = { file, env, configDir: dirname(file) };
  try {
    return parseSwitchboard(readFileSync(file, 'utf8'), around);
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? 'unknown error';
    const message = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    const error = { file, line: 1, column: 1, path: '', message };
    return { file, servers: [], routes: [], warnings: [], errors: [error] };
  }
};

/** Calls back when one of the files has changed. Returns how to stop. */
export const watchFiles = (files: readonly string[], changed: () => void): (() => void) => {
  const listener = (): void => changed();
  for (const file of files) watchFile(file, { interval: LIMITS.switchboardPollMs, persistent: false }, listener);
  return () => {
    for (const file of files) unwatchFile(file, listener);
  };
};
