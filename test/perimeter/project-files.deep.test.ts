// Every kind of hostile file, against every command that reads files of a project.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS, manifest, write } from '../skills/folders.js';
import { colibri } from '../support/command-line.js';
import { freshPlace, type Place, serve, session } from '../support/serve.js';
import { HOSTILE, makeSocket } from './hostile-files.js';

const project = (): { place: Place; dir: string; file: string } => {
  const place = freshPlace();
  const dir = join(place.dir, 'project');
  fs.mkdirSync(join(dir, '.colibri'), { recursive: true });
  fs.mkdirSync(join(dir, '.git'));
  return { place, dir, file: join(dir, '.colibri', 'switchboard.json') };
};

const COMMANDS: readonly (readonly string[])[] = [
  ['switchboard', 'check'],
  ['switchboard', 'approve', '--yes'],
  ['switchboard', 'add', 'mine', '--', 'true'],
  ['switchboard', 'remove', 'mine'],
  ['doctor'],
  ['init', '--import', '--client', 'claude-code', '--scope', 'project', '--yes'],
];

describe.each(Object.entries(HOSTILE))('a switchboard file that is %s', (_, [make, reason]) => {
  test('is refused by every command in a sentence, and what a link leads to is left alone', async () => {
    const { place, dir, file } = project();
    make(file);
    const outside = `${dir}-outside.json`;
    const before = fs.existsSync(outside) ? fs.readFileSync(outside, 'utf8') : undefined;
    for (const args of COMMANDS) {
      const { code, stdout, stderr } = await colibri(place, args, { cwd: dir });
      const said = stdout + stderr;
      expect(said, args.join(' ')).not.toMatch(/stolen|\n {4}at /);
      // A circle of links is no file for whoever asks whether there is one.
      if (fs.existsSync(file)) {
        expect(code, args.join(' ')).not.toBe(0);
        expect(said, args.join(' ')).toMatch(reason);
      }
    }
    if (before !== undefined) expect(fs.readFileSync(outside, 'utf8')).toBe(before);
  }, 60_000);
});

test('a socket in the place of a switchboard file is refused', async () => {
  const { place, dir, file } = project();
  const close = await makeSocket(file);
  place.onEnd(close);
  const { code, stdout } = await colibri(place, ['switchboard', 'check'], { cwd: dir });
  expect(code).toBe(1);
  expect(stdout).toMatch(/socket/);
});

test('a .colibri folder that is a link out of the project: its switchboard file does not count as the project’s', async () => {
  const place = freshPlace();
  const dir = join(place.dir, 'project');
  const elsewhere = join(place.dir, 'elsewhere');
  fs.mkdirSync(join(dir, '.git'), { recursive: true });
  fs.mkdirSync(elsewhere);
  fs.writeFileSync(join(elsewhere, 'switchboard.json'), '{"mcpServers": {"stolen": {"command": "true"}}}');
  fs.symlinkSync(elsewhere, join(dir, '.colibri'));
  const { code, stdout } = await colibri(place, ['switchboard', 'check'], { cwd: dir });
  expect(code).toBe(1);
  expect(stdout).toMatch(/leads out of the project/);
  expect(stdout).not.toContain('stolen');
});

test('a user’s own switchboard file may be a link, and a project’s may be one inside the project', async () => {
  const { place, dir, file } = project();
  const text = '{"mcpServers": {"mine": {"command": "true"}}}';
  fs.writeFileSync(join(dir, 'servers.json'), text);
  fs.symlinkSync(join('..', 'servers.json'), file);
  expect((await colibri(place, ['switchboard', 'check'], { cwd: dir })).stdout).toMatch(/mine: not_approved/);
  fs.rmSync(file);
  const config = join(place.home, 'config', 'colibri');
  fs.mkdirSync(config, { recursive: true });
  fs.writeFileSync(join(place.dir, 'dotfiles.json'), text);
  fs.symlinkSync(join(place.dir, 'dotfiles.json'), join(config, 'switchboard.json'));
  expect((await colibri(place, ['switchboard', 'check'], { cwd: dir })).stdout).toMatch(/mine: ready/);
});

const GIT_FILES: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to an endless device': (path) => fs.symlinkSync('/dev/zero', path),
  'a huge file': (path) => {
    fs.writeFileSync(path, 'gitdir: x\n');
    fs.truncateSync(path, 40 * 1024 ** 3);
  },
  'a link to a secret': (path) => fs.symlinkSync('/proc/self/environ', path),
  binary: (path) => fs.writeFileSync(path, Buffer.alloc(1_000, 255)),
};

describe.each(Object.entries(GIT_FILES))('a file of git that is %s', (_, make) => {
  test.each(['.git', 'fake/commondir', 'fake/gitdir'])(
    'as %s hangs nothing',
    async (name) => {
      const place = freshPlace();
      const dir = join(place.dir, 'project');
      fs.mkdirSync(join(dir, 'fake'), { recursive: true });
      fs.writeFileSync(join(dir, '.git'), 'gitdir: fake\n');
      fs.writeFileSync(join(dir, 'fake', 'commondir'), '..\n');
      fs.writeFileSync(join(dir, 'fake', 'gitdir'), '../.git\n');
      fs.rmSync(join(dir, name));
      make(join(dir, name));
      const ran = await colibri(place, ['doctor'], { cwd: dir });
      expect(ran.code, ran.stderr).not.toBeNull();
      expect(ran.stdout).toMatch(/project/);
    },
    20_000,
  );
});

describe.each(['SKILL.md', 'more.md'])('%s of a skill', (name) => {
  test.each(Object.keys(HOSTILE))('that is %s costs that skill and nothing else', async (kind) => {
    const { place, dir } = project();
    write(join(dir, AGENTS, 'good', 'SKILL.md'), manifest('good'));
    write(join(dir, AGENTS, 'bad', 'SKILL.md'), manifest('bad'));
    fs.rmSync(join(dir, AGENTS, 'bad', name), { force: true });
    HOSTILE[kind]?.[0](join(dir, AGENTS, 'bad', name));
    const { value, peer } = await session(place, (one) => one.call('skill_list', { limit: 50 }), {
      env: { COLIBRI_PROJECT_DIR: dir },
    });
    const { skills, problems } = value.result.structuredContent.data;
    const names = skills.map((skill: { name: string }) => skill.name);
    expect(names).toContain('good');
    if (kind !== 'a folder' || name === 'SKILL.md') {
      expect(names).not.toContain('bad');
      expect(JSON.stringify(problems)).toContain(join(dir, AGENTS, 'bad'));
    }
    expect(JSON.stringify(value)).not.toContain('stolen');
    expect(peer.stderr).not.toMatch(/\n {4}at /);
  });
});

test('a store is not begun behind a link that leads out of the project', async () => {
  const place = freshPlace();
  const dir = join(place.dir, 'project');
  const elsewhere = join(place.dir, 'elsewhere');
  fs.mkdirSync(join(dir, '.git'), { recursive: true });
  fs.mkdirSync(elsewhere);
  fs.symlinkSync(elsewhere, join(dir, '.colibri'));
  const { COLIBRI_DB_PATH: _, ...env } = place.env;
  const peer = serve({ ...place, env }, { env: { COLIBRI_PROJECT_DIR: dir } });
  await peer.initialize();
  await peer.phase2();
  await peer.end();
  expect(fs.readdirSync(elsewhere)).toEqual([]);
});
