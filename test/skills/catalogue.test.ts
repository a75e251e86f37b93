// The catalogue over real folders.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { Digests } from '../../src/domains/skills/digests.js';
import { SKILL_LIMITS } from '../../src/domains/skills/limits.js';
import type { Skill } from '../../src/domains/skills/skill.js';
import { deepTest, describe as fastDescribe, test as it } from '../support/by-gate.js';
import { AGENTS, CLAUDE, type Clock, catalogueOf, freshFolder, manifest, skill, write } from './folders.js';
import { MALFORMED } from './malformed.js';

const names = (snapshot: { skills: readonly { name: string }[] }) => snapshot.skills.map(({ name }) => name);

describe('what is bad', () => {
  it('there are at least forty kinds of it', () => {
    expect(MALFORMED.length).toBeGreaterThanOrEqual(40);
  });

  it.each(MALFORMED)('$what: one problem, and nothing else is lost', async ({ make, reason, listed }) => {
    const dir = join(freshFolder(), 'project');
    skill(join(dir, AGENTS), 'good-a');
    skill(join(dir, AGENTS), 'good-z');
    const bad = join(dir, AGENTS, 'm-bad');
    make(bad);
    const found = await catalogueOf(dir).current();
    expect(found.problems).toHaveLength(1);
    expect(found.problems[0]?.path.startsWith(bad)).toBe(true);
    expect(found.problems[0]?.reason).toMatch(reason);
    expect(found.problems[0]?.reason).toMatch(listed ? /^listed, but / : /^skipped: /);
    expect(names(found).filter((name) => name.startsWith('good-'))).toEqual(['good-a', 'good-z']);
    expect(found.skills).toHaveLength(listed ? 3 : 2);
  });

  deepTest('all of it at once: one problem each', async () => {
    const dir = freshFolder();
    skill(join(dir, AGENTS), 'good-a');
    for (const [at, { make }] of MALFORMED.entries()) make(join(dir, AGENTS, `bad-${at}`));
    const { problems, skills } = await catalogueOf(dir).current();
    expect(problems).toHaveLength(MALFORMED.length);
    expect(new Set(problems.map(({ path }) => path)).size).toBe(MALFORMED.length);
    expect(skills).toHaveLength(1 + MALFORMED.filter(({ listed }) => listed).length);
  });

  // As root every file can be read; test/skills/hosts.test.ts asks a process of another user.
  it.skipIf(process.getuid?.() === 0)('a file that cannot be read', async () => {
    const dir = freshFolder();
    fs.chmodSync(join(skill(join(dir, AGENTS), 'a'), 'SKILL.md'), 0);
    expect((await catalogueOf(dir).current()).problems).toMatchObject([
      { reason: 'skipped: SKILL.md cannot be read: no permission' },
    ]);
  });

  it('CRLF is no problem', async () => {
    const dir = freshFolder();
    write(join(dir, AGENTS, 'crlf', 'SKILL.md'), manifest('crlf').replaceAll('\n', '\r\n'));
    const found = await catalogueOf(dir).current();
    expect([names(found), found.problems]).toEqual([['crlf'], []]);
  });
});

describe('where skills are', () => {
  // Until names were ours to give, a project's colibri-tasks took the place of the one that we ship.
  it('both folders of the project, then ours; the first of a name is the one, but for the names of ours', async () => {
    const dir = freshFolder();
    const shipped = join(dir, 'package', 'skills');
    skill(join(dir, AGENTS), 'both');
    skill(join(dir, CLAUDE), 'both');
    skill(join(dir, CLAUDE), 'claude');
    skill(join(dir, CLAUDE), 'colibri-tasks');
    skill(shipped, 'colibri-tasks');
    skill(shipped, 'colibri-trail');
    const found = await catalogueOf(dir, shipped).current();
    expect(found.skills.map(({ source }) => source.slice(dir.length + 1))).toEqual([
      '.agents/skills/both/SKILL.md',
      '.claude/skills/claude/SKILL.md',
      'package/skills/colibri-tasks/SKILL.md',
      'package/skills/colibri-trail/SKILL.md',
      '.claude/skills/colibri-tasks/SKILL.md',
    ]);
    expect(names(found)).toEqual(['both', 'claude', 'colibri-tasks', 'colibri-trail', 'project:colibri-tasks']);
    expect(found.problems).toEqual([
      {
        path: join(dir, CLAUDE, 'both', 'SKILL.md'),
        reason: `hidden: ${join(dir, AGENTS, 'both', 'SKILL.md')} has the same name, both`,
      },
      {
        path: join(dir, CLAUDE, 'colibri-tasks', 'SKILL.md'),
        reason: expect.stringMatching(/^listed as project:colibri-tasks: /),
      },
    ]);
  });

  it('links between them are one skill, not two', async () => {
    const dir = freshFolder();
    skill(join(dir, AGENTS), 'a');
    fs.mkdirSync(join(dir, CLAUDE), { recursive: true });
    fs.symlinkSync(join('..', '..', AGENTS, 'a'), join(dir, CLAUDE, 'a'));
    const found = await catalogueOf(dir).current();
    expect([names(found), found.problems]).toEqual([['a'], []]);
  });

  it('links out of the project lead nowhere', async () => {
    const [dir, other] = [freshFolder(), freshFolder()];
    skill(other, 'foreign');
    skill(join(dir, AGENTS), 'own');
    fs.symlinkSync(join(other, 'foreign'), join(dir, AGENTS, 'foreign'));
    fs.mkdirSync(join(dir, '.claude'));
    fs.symlinkSync(other, join(dir, CLAUDE));
    const found = await catalogueOf(dir).current();
    expect(names(found)).toEqual(['own']);
    expect(found.problems.map(({ path }) => path)).toEqual([join(dir, AGENTS, 'foreign'), join(dir, CLAUDE)]);
  });

  it('groups of skills are looked into; hidden folders and node_modules are not', async () => {
    const dir = freshFolder();
    skill(join(dir, AGENTS, 'group', 'inner'), 'grouped');
    for (const folder of ['.git', 'node_modules']) skill(join(dir, AGENTS, folder), 'not-me');
    skill(join(dir, AGENTS, '1', '2', '3'), 'too-deep');
    expect(names(await catalogueOf(dir).current())).toEqual(['grouped']);
  });

  deepTest('of too many folders the first are taken, and one problem says so', async () => {
    const dir = freshFolder();
    for (let at = 0; at <= SKILL_LIMITS.skillFolders; at += 1)
      fs.mkdirSync(join(dir, AGENTS, `x-${at}`), { recursive: true });
    skill(join(dir, AGENTS), 'a');
    const found = await catalogueOf(dir).current();
    expect([names(found), found.problems.length]).toEqual([['a'], 1]);
  });

  it('hidden files are no part of a skill', async () => {
    const dir = freshFolder();
    skill(join(dir, AGENTS), 'a', { 'b.md': '', '.hidden': '', 'sub/.hidden': '', 'sub/c.md': '' });
    const [found] = (await catalogueOf(dir).current()).skills;
    expect(found?.files.map(({ path }) => path)).toEqual(['SKILL.md', 'b.md', 'sub/c.md']);
  });
});

fastDescribe('digests', () => {
  it('are what sha256sum gives', async () => {
    const dir = freshFolder();
    const files = { 'b.md': 'b', 'a/ü.txt': 'ü', 'a-b': '', 'B.md': 'B', ﬀ: '1', '😀': '2' };
    const folder = skill(join(dir, AGENTS), 'a', files);
    fs.symlinkSync('b.md', join(folder, 'link.md'));
    const digests = await catalogueOf(dir).digestOf('a');
    const command = "find -L * -type f | LC_ALL=C sort | xargs -d '\\n' sha256sum | sha256sum | cut -c -64";
    expect(digests?.digest).toBe(`sha256:${execFileSync('bash', ['-c', command], { cwd: folder }).toString().trim()}`);
  });

  it('are not waited for by a list', async () => {
    const dir = freshFolder();
    skill(join(dir, AGENTS), 'a');
    const catalogue = catalogueOf(dir);
    const [found] = (await catalogue.current()).skills;
    expect(found && catalogue.known(found)).toBeUndefined();
    expect(await catalogue.digested()).toBe(true);
    expect(found && catalogue.known(found)?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('change with any byte of any file, and are of what is there now', async () => {
    const dir = freshFolder();
    const folder = skill(join(dir, AGENTS), 'a', { 'x.txt': '1' });
    const catalogue = catalogueOf(dir);
    const first = await catalogue.resolveSkill('a');
    fs.writeFileSync(join(folder, 'x.txt'), '2');
    await catalogue.refresh();
    const second = await catalogue.resolveSkill('a');
    expect(first?.name).toBe('a');
    expect(second?.digest).not.toBe(first?.digest);
    expect(await catalogue.resolveSkill('b')).toBeUndefined();
  });

  it('are of exactly the files that were found, or of none', async () => {
    const dir = freshFolder();
    const folder = skill(join(dir, AGENTS), 'a', { 'x.txt': '1' });
    const [found] = (await catalogueOf(dir).current()).skills;
    fs.writeFileSync(join(folder, 'x.txt'), '2');
    const digests = new Digests(Date.now);
    await expect(digests.of(found as Skill)).rejects.toThrow('x.txt has changed');
    expect(await digests.make([found as Skill])).toBe(false);
    expect(digests.known(found as Skill)).toBeUndefined();
  });

  it('of files that changed behind our back are made anew', async () => {
    const dir = freshFolder();
    const folder = skill(join(dir, AGENTS), 'a', { 'x.txt': '1' });
    const catalogue = catalogueOf(dir); // its clock stands still: it believes to be up to date
    await catalogue.current();
    fs.writeFileSync(join(folder, 'x.txt'), '22');
    const digests = await catalogue.digestOf('a');
    const sum = execFileSync('sha256sum', ['x.txt'], { cwd: folder }).toString().slice(0, 64);
    expect(digests?.files.get('x.txt')).toBe(`sha256:${sum}`);
  });
});

describe('changes on disk', () => {
  it('show when the last look is no longer fresh', async () => {
    const dir = freshFolder();
    const clock: Clock = { nowMs: 0 };
    const catalogue = catalogueOf(dir, undefined, clock);
    expect(names(await catalogue.current())).toEqual([]);
    skill(join(dir, AGENTS), 'new');
    expect(names(await catalogue.current())).toEqual([]);
    clock.nowMs += SKILL_LIMITS.skillsFreshMs;
    expect(names(await catalogue.current())).toEqual(['new']);
  });

  it('are noticed and told, without anybody asking', async () => {
    const dir = freshFolder();
    const folder = skill(join(dir, AGENTS), 'a');
    const catalogue = catalogueOf(dir);
    const told = vi.fn();
    catalogue.onChange(told);
    await catalogue.current();
    expect(told).not.toHaveBeenCalled();
    write(join(folder, 'SKILL.md'), manifest('a', 'Something else.'));
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1), 5_000);
    expect((await catalogue.current()).skills[0]?.description).toBe('Something else.');
    skill(join(dir, AGENTS), 'b');
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(2), 5_000);
    expect(names(await catalogue.current())).toEqual(['a', 'b']);
  });

  deepTest('that change nothing are told to nobody', async () => {
    const dir = freshFolder();
    skill(join(dir, AGENTS), 'a');
    const catalogue = catalogueOf(dir);
    const told = vi.fn();
    await catalogue.current();
    catalogue.onChange(told);
    write(join(dir, AGENTS, 'a', '.hidden'), 'x');
    await sleep(2 * SKILL_LIMITS.skillQuietMs);
    expect(told).not.toHaveBeenCalled();
  });

  it('half of a change replaces nothing, until it is clear that it stays', async () => {
    const dir = freshFolder();
    const clock: Clock = { nowMs: 0 };
    const folder = skill(join(dir, AGENTS), 'a');
    const catalogue = catalogueOf(dir, undefined, clock);
    await catalogue.current();
    write(join(folder, 'SKILL.md'), '---\nname: a\n');
    const look = async () => {
      await catalogue.refresh();
      return catalogue.current();
    };
    expect(await look()).toMatchObject({ skills: [{ name: 'a' }], problems: [] });
    clock.nowMs += SKILL_LIMITS.skillSettleMs;
    expect(await look()).toMatchObject({ skills: [], problems: [{ reason: expect.stringMatching(/closing/) }] });
    write(join(folder, 'SKILL.md'), manifest('a', 'Back.'));
    expect(await look()).toMatchObject({ skills: [{ description: 'Back.' }], problems: [] });
  });

  it('many questions at once cost two scans', async () => {
    const dir = freshFolder();
    skill(join(dir, AGENTS), 'a');
    const catalogue = catalogueOf(dir);
    const all = await Promise.all(Array.from({ length: 50 }, () => catalogue.current()));
    expect(new Set(all).size).toBe(2);
  });
});
