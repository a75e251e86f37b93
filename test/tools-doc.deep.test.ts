// docs/tools.md is what its generator writes, and the generator notices when its notes and the registry part ways.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const at = (path: string): string => new URL(`../${path}`, import.meta.url).pathname;
const run = promisify(execFile);

it('docs/tools.md is current; otherwise run `npm run docs`', { timeout: 120_000 }, async () => {
  const { stdout } = await run(process.execPath, [at('scripts/document-tools.mjs'), '--print']);
  expect(stdout).toBe(readFileSync(at('docs/tools.md'), 'utf8'));
});
