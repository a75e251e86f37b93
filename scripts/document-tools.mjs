// Writes docs/tools.md from the definitions of the tools: as the built server registers and lists them, with their examples from a
// real session. `--print` writes to stdout instead.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixValues } from './tools-doc/fix.mjs';
import { assertAgreement, registeredTools } from './tools-doc/registry.mjs';
import { renderTools } from './tools-doc/render.mjs';
import { listedByMode, realExamples, Scratch } from './tools-doc/session.mjs';

const FILE = new URL('../docs/tools.md', import.meta.url);

/** Does the work in a folder of its own. */
const inScratch = async (use) => {
  const scratch = new Scratch();
  try {
    return await use(scratch);
  } finally {
    scratch.remove();
  }
};

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Folders differ by platform, the version by release; the document shows one of each. */
const namesOf = ({ home, project, folder }) => [
  [version, '1.0.0'],
  [join(home, 'Library', 'Application Support', 'colibri', 'state'), '/home/ada/.local/state/colibri'],
  [home, '/home/ada'],
  [project, '/home/ada/shop'],
  [folder, '/tmp'],
];

const tools = registeredTools();
const examples = await inScratch(async (scratch) => fixValues(await realExamples(scratch, tools), namesOf(scratch)));
const byMode = await inScratch(listedByMode);
assertAgreement(tools, byMode.FULL);
const text = renderTools({ tools, byMode, examples });
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(FILE, text);
