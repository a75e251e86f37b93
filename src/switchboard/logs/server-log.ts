// The log of one server: what its processes write to stderr, and what Colibri says about their starts and ends. People send such a log to
// others for help, and it comes from another program, so secrets are removed and control characters are shown as escapes. It is bounded in
// size and in bytes per second: a server that floods stderr must not keep Colibri busy.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { plain } from '../../core/plain.js';
import { quietly } from '../../errors.js';
import { REDACTED } from '../../redact/redact.js';
import { type LogFile, openLogFile } from '../../start/log-file.js';
import { SERVER_LOG } from '../config/server-log-place.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { ServerOutput } from './server-output.js';

export interface ServerLogOptions {
  readonly dir: string;
  /** Values that are secret in this server's configuration, whatever they look like. */
  readonly secrets: readonly string[];
  readonly warn: (message: string) => void;
  readonly wallMs: () => number;
}

export class ServerLog {
  readonly #options: ServerLogOptions;
  readonly #secrets: readonly string[];
  readonly #file: LogFile;

  constructor(options: ServerLogOptions) {
    this.#options = options;
    const long = options.secrets.filter(({ length }) => length >= SWITCHBOARD_LIMITS.hiddenSecretChars);
    this.#secrets = long.toSorted((a, b) => b.length - a.length);
    const { serverLogFiles: files, serverLogBytes: fileBytes } = SWITCHBOARD_LIMITS;
    this.#file = openLogFile({ dir: options.dir, name: SERVER_LOG, files, fileBytes, now: options.wallMs });
  }

  /** Removes the values that are secret in the server's configuration from a text. */
  readonly hide = (text: string): string =>
    this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);

  /** Takes the output of one process of the server. */
  process(pid: number): ServerOutput {
    return new ServerOutput({
      hide: this.hide,
      write: (lines) => this.#write(pid, '|', lines),
      nowMs: this.#options.wallMs,
    });
  }

  /** Adds a line of Colibri's own. */
  note(line: string): void {
    this.#write(process.pid, '*', [plain(line)]);
  }

  /** Writes lines together, so that lines of several processes are not mixed. A line is `<time> <pid> | <text>`, with `*` for Colibri's own. */
  #write(pid: number, mark: '|' | '*', lines: readonly string[]): void {
    const at = new Date(this.#options.wallMs()).toISOString();
    let block: string[] = [];
    let chars = 0;
    const flush = (): void => {
      const note = block.length === 0 ? undefined : this.#file.write(block.join('\n'));
      if (note !== undefined) this.#options.warn(note);
      block = [];
      chars = 0;
    };
    for (const line of lines) {
      const whole = `${at} ${pid} ${mark} ${line.slice(0, SWITCHBOARD_LIMITS.serverLogLineChars)}`;
      if (chars + whole.length > SWITCHBOARD_LIMITS.serverLogBlockChars) flush();
      block.push(whole);
      chars += whole.length;
    }
    flush();
    // Servers come and go while Colibri runs, and seldom write: no descriptor is kept for them.
    this.#file.rest();
  }
}

/** Removes the logs of servers that have not been written for a long time. `dir`: the folder of a log that stays. */
export const removeOldLogs = (dir: string, wallMs: number): void => {
  const above = dirname(dir);
  for (const name of quietly(() => readdirSync(above)) ?? []) {
    const log = join(above, name, `${SERVER_LOG}.log`);
    const stats = name === basename(dir) ? undefined : statSync(log, { throwIfNoEntry: false });
    if (stats !== undefined && wallMs - stats.mtimeMs > SWITCHBOARD_LIMITS.serverLogKeptMs)
      quietly(() => rmSync(join(above, name), { recursive: true }));
  }
};
