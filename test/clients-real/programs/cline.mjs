// Cline's command line: a native program in a package.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SIGN_IN_MS = 30_000;

export const cline = {
  id: 'cline',
  title: 'Cline CLI',
  packages: ['cline@3.0.65'],
  /** On a busy machine it lists tools before those of other servers are there; it does not take part in the deep tests. */
  isOnlyByHand: true,
  known: {
    instructions: 'it does not show its model what servers say of themselves',
    'late tools': 'tools that came later were not offered in that session',
    interrupt: 'SIGINT ends the command alone: its background process goes on with the call',
  },
  prepare: async ({ place, url, dir, prompt }) => {
    await place.init('cline');
    const command = join(dir, 'node_modules', '@cline', `cli-${process.platform}-${process.arch}`, 'bin', 'cline');
    const provider = ['-p', 'openai', '-k', 'none', '-m', 'stub-model', '-b', `${url}/v1`];
    await run(command, ['auth', ...provider], { cwd: place.project, env: place.env, timeout: SIGN_IN_MS });
    return { command, args: ['--json', prompt], env: {} };
  },
};
