// Runs a client's own commands (such as `claude mcp add`), then checks the file that they changed: an exit code alone proves nothing.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ServersAt } from '../../clients/client.js';
import { readServers, type ServerEdit } from '../../clients/servers-text.js';
import { readEnv } from '../../config.js';
import { CLI_LIMITS } from '../limits.js';
import { plain } from '../screen/print.js';
import { wrong } from '../target.js';
import { readText } from '../text-file.js';

export interface ClientCommandRun {
  /** The absolute path of the client's program. */
  readonly program: string;
  readonly commands: readonly (readonly string[])[];
  readonly cwd: string;
}

export interface WantedServers {
  readonly file: string;
  readonly format: ServersAt['format'];
  readonly edits: readonly ServerEdit[];
}

const runProgram = promisify(execFile);

/** The last line that the failed program printed. */
const lastLineOf = (thrown: unknown): string => {
  const { stderr, stdout, message } = thrown as { stderr?: string; stdout?: string; message: string };
  return plain((stderr?.trim() || stdout?.trim() || message).split('\n').at(-1) ?? '');
};

const assertDone = (program: string, { file, format, edits }: WantedServers): void => {
  const text = readText(file) ?? '';
  for (const { keys, name, now } of edits) {
    if (Object.hasOwn(readServers(text, { format, keys }), name) === (now !== undefined)) continue;
    throw wrong(
      `${program} reported success, but did not change ${file} as expected.`,
      'Use --scope project, or edit the file.',
    );
  }
};

export const runClientCommands = async (own: ClientCommandRun, wanted: WantedServers): Promise<void> => {
  const env: NodeJS.ProcessEnv = { ...readEnv() };
  for (const args of own.commands) {
    try {
      const running = runProgram(own.program, [...args], { cwd: own.cwd, env, timeout: CLI_LIMITS.initCommandMs });
      running.child.stdin?.end();
      await running;
    } catch (thrown) {
      throw wrong(`${own.program} ${args.slice(0, 2).join(' ')} failed: ${lastLineOf(thrown)}.`, 'See its own help.');
    }
  }
  assertDone(own.program, wanted);
};
