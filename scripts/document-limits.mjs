// Writes docs/limits.md: every bound with its value and what it bounds, from the limits.ts files. `--print` writes to
// stdout instead.
import { writeFileSync } from 'node:fs';
import { readRooms } from './limits-doc/read.mjs';
import { renderLimits } from './limits-doc/render.mjs';

const text = renderLimits(readRooms());
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(new URL('../docs/limits.md', import.meta.url), text);
