// Programs on a real terminal: tmux has a screen of a given size, takes keys and shows what is on it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN, type Place } from './serve.js';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export class TmuxScreen {
  readonly #socket: string;
  readonly #place: Place;

  /** Runs the built `colibri` with these arguments; when it has ended, its exit code and the state of the terminal are on the last line. */
  constructor(place: Place, args: readonly string[], columns: number) {
    this.#place = place;
    const folder = mkdtempSync(join(tmpdir(), 'colibri-tmux-'));
    this.#socket = join(folder, 'socket');
    const line = [process.execPath, MAIN, ...args].map((part) => `'${part}'`).join(' ');
    this.#tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      String(columns),
      '-y',
      '40',
      // The shell outlives a Ctrl-C that ends the command.
      `trap : INT; ${line}; echo "ended with $? on a terminal with" $(stty -a | tr ' ' '\\n' | grep -xE -- '-?(icanon|echo)'); sleep 600`,
    );
    place.onEnd(() => {
      spawnSync('tmux', ['-S', this.#socket, 'kill-server']);
      rmSync(folder, { recursive: true, force: true });
    });
  }

  #tmux(...args: string[]): string {
    const env = { ...this.#place.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8', env, cwd: this.#place.dir });
  }

  /** What is on the screen. A line that the terminal had to break is one line here, so that it can be seen to be too wide. */
  get text(): string {
    return this.#captured();
  }

  /** All that was printed, also what has left the screen at the top. */
  get whole(): string {
    return this.#captured('-S', '-');
  }

  #captured(...more: string[]): string {
    return this.#tmux('capture-pane', '-p', '-J', ...more).replace(/ +$/gm, '');
  }

  keys(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  async until(seen: RegExp, patienceMs = 30_000): Promise<string> {
    for (const until = Date.now() + patienceMs; ; ) {
      const { text } = this;
      if (seen.test(text)) return text;
      if (Date.now() > until) throw new Error(`not on the screen: ${String(seen)}\n${text}`);
      await sleep(100);
    }
  }

  /** Waits until the command has ended with this code, and gives the terminal back as it was: with echo, a cursor, and its own screen. */
  async ended(code: number, patienceMs = 30_000): Promise<void> {
    await this.until(new RegExp(`ended with ${code} on a\\s+terminal\\s+with\\s+icanon\\s+echo`), patienceMs);
    const state = this.#tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}').trim();
    if (state !== '1 0') throw new Error(`the terminal was not given back: cursor and other screen: ${state}`);
  }
}
