// A process of Colibri whose wall clock the test moves while it runs.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLOCK = fileURLToPath(new URL('../children/other-clock.mjs', import.meta.url));
export const MINUTE = 60_000;

/** The environment of a process whose wall clock the test moves; only Colibri's own. */
export const withClock = (dir: string) => {
  const file = join(dir, 'clock.json');
  const ahead = (wallMs: number) => {
    writeFileSync(`${file}.new`, JSON.stringify({ wallMs, monotonicMs: 0 }));
    renameSync(`${file}.new`, file); // the process reads it at any moment
  };
  ahead(0);
  return { env: { NODE_OPTIONS: `--import ${CLOCK}`, TEST_CLOCK: file }, ahead };
};
