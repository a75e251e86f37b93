// Writes the vector files anew: node test/vectors/generate.mjs. A test holds the files to what this writes.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module } = await runnerImport(fileURLToPath(new URL('make.ts', import.meta.url)));
for (const [name, text] of module.vectorFiles()) writeFileSync(new URL(name, import.meta.url), text);
