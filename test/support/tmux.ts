// Programs on a real terminal: tmux has a screen of a given size, takes keys and shows what is on it.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN, type Place } from './serve.js';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export class TmuxScreen {
  readonly #socket: string;
  readonly #place: Place;

  /** Runs the built `colibri` with these arguments; when it has ended, its exit code is on the last line. */
  constructor(place: Place, args: readonly string[], columns: number) {
    this.#place = place;
    this.#socket = join(place.dir, `tmux-${columns}`);
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
      `${line}; echo "ended with $?"; sleep 600`,
    );
    place.onEnd(() => void spawnSync('tmux', ['-S', this.#socket, 'kill-server']));
  }

  #tmux(...args: string[]): string {
    const env = { ...this.#place.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8', env, cwd: this.#place.dir });
  }

  get text(): string {
    return this.#tmux('capture-pane', '-p');
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
}
