// Folders of skills for tests.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SkillCatalogue, skillPlaces } from '../../src/domains/skills/catalogue.js';

export const AGENTS = join('.agents', 'skills');
export const CLAUDE = join('.claude', 'skills');

/** A fresh folder that goes with the test. */
export const freshFolder = (): string => {
  const dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-skills-')));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export const write = (path: string, content: string | Buffer): void => {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, content);
};

export const manifest = (name: string, description = `What ${name} is for.`, ...lines: readonly string[]): string =>
  ['---', `name: ${name}`, `description: ${description}`, ...lines, '---', '', `# ${name}`, '', 'Do it.', ''].join(
    '\n',
  );

/** A good skill at `<dir>/<name>`, with more files if there are any. */
export const skill = (dir: string, name: string, files: Readonly<Record<string, string>> = {}): string => {
  write(join(dir, name, 'SKILL.md'), manifest(name));
  for (const [path, text] of Object.entries(files)) write(join(dir, name, path), text);
  return join(dir, name);
};

export interface Clock {
  nowMs: number;
}

/** A catalogue over a project; `clock` moves only when the test says so. */
export const catalogueOf = (project: string, shipped = join(project, 'none'), clock: Clock = { nowMs: 0 }) => {
  fs.mkdirSync(shipped, { recursive: true });
  const places = skillPlaces(undefined, project, shipped);
  const catalogue = new SkillCatalogue({ places, nowMs: () => clock.nowMs, wallMs: Date.now });
  onTestFinished(() => catalogue.close());
  return catalogue;
};
