// colibri completion in the shells themselves: what a person gets who presses the tabulator key.
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { colibri } from '../support/command-line.js';
import { freshPlace, type Place } from '../support/serve.js';

vi.setConfig({ testTimeout: 120_000 });

const has = (program: string): boolean =>
  spawnSync(program, ['--version']).status === 0 || spawnSync(program, ['-V']).status === 0;

const scriptFor = async (place: Place, shell: string): Promise<string> => {
  const ran = await colibri(place, ['completion', shell]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const file = join(place.dir, `completion.${shell}`);
  fs.writeFileSync(file, ran.stdout);
  return file;
};

/** What is typed, and what must and must not be offered for it. */
const TYPED: readonly (readonly [string[], readonly string[], readonly string[]])[] = [
  [['sw'], ['switchboard'], ['status']],
  [['switchboard', 're'], ['restart', 'retry', 'remove', 'replay'], ['check']],
  [['switchboard', 'add', '--h'], ['--header', '--help'], ['--start']],
  [['switchboard', 'route', ''], ['add', 'rm'], ['check']],
  [['switchboard', 'route', 'add', '--f'], ['--fallback-on-error', '--file'], ['--yes']],
  [['switchboard', 'add', 'name', '--h'], ['--header', '--help'], ['--start']],
  [['log', '--fa'], ['--failed'], ['--follow']],
  [['restore', '--re'], ['--reason'], ['--yes']],
  [['help', 'accept'], ['accept-loss'], ['restore']],
];

test('bash', async () => {
  const place = freshPlace();
  const script = await scriptFor(place, 'bash');
  for (const [words, wanted, unwanted] of TYPED) {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `source '${script}'; COMP_WORDS=(colibri ${line}); COMP_CWORD=${words.length}; _colibri; printf '%s\n' "\${COMPREPLY[@]}"; complete -p colibri`;
    const offered = execFileSync('bash', ['--norc', '-c', ask], { encoding: 'utf8' }).split('\n');
    for (const word of wanted) expect(offered, line).toContain(word);
    for (const word of unwanted) expect(offered, line).not.toContain(word);
  }
});

test.skipIf(!has('fish') && process.env.CI === undefined)('fish', async () => {
  const place = freshPlace();
  const script = await scriptFor(place, 'fish');
  for (const [words, wanted, unwanted] of TYPED.filter(([[first]]) => first !== 'help')) {
    const ask = `source '${script}'; complete -C 'colibri ${words.join(' ')}'`;
    const offered = execFileSync('fish', ['--no-config', '-c', ask], { encoding: 'utf8', env: place.env })
      .split('\n')
      .map((line) => line.split('\t')[0]);
    for (const word of wanted) expect(offered, words.join(' ')).toContain(word);
    for (const word of unwanted) expect(offered, words.join(' ')).not.toContain(word);
  }
});

test.skipIf(!(has('zsh') && has('tmux')) && process.env.CI === undefined)('zsh, typed on a terminal', async () => {
  const place = freshPlace();
  const script = await scriptFor(place, 'zsh');
  const socket = join(place.dir, 'tmux');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', env: place.env });
  tmux('new-session', '-d', '-x', '80', '-y', '30', 'zsh -f');
  place.onEnd(() => void spawnSync('tmux', ['-S', socket, 'kill-server']));
  const until = async (seen: RegExp): Promise<string> => {
    for (let tries = 0; ; tries += 1) {
      const screen = tmux('capture-pane', '-p');
      if (seen.test(screen)) return screen;
      if (tries > 200) throw new Error(`not on the screen: ${String(seen)}\n${screen}`);
      await sleep(50);
    }
  };
  tmux(
    'send-keys',
    `autoload -U compinit; compinit -u -d ${join(place.dir, 'dump')}; source ${script}; echo rea''dy`,
    'Enter',
  );
  await until(/^ready/m);
  tmux('send-keys', 'colibri sw', 'Tab');
  await until(/colibri switchboard/);
  tmux('send-keys', 'rest', 'Tab');
  await until(/colibri switchboard restart/);
  tmux('send-keys', 'C-u', 'colibri switchboard route add --fal', 'Tab');
  await until(/route add --fallback-on-error/);
  tmux('send-keys', 'C-u', 'colibri log --fa', 'Tab');
  await until(/colibri log --failed/);
});

test('a shell that there is no script for', async () => {
  expect(await colibri(freshPlace(), ['completion', 'tcsh'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Shells: bash, zsh, fish'),
  });
});
