// Reads the id in a project's `.colibri/project.json`. The file comes with a repository, so it is opened without following links, as a
// small regular file, and read once. The file proves nothing: start/identity.ts decides whether the id is used.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { isDeclaredId } from '../core/project-id.js';
import { systemCode } from '../errors.js';
import { START_LIMITS } from './limits.js';

export const PROJECT_FILE = 'project.json';

export type Declared =
  | { readonly kind: 'none' }
  | { readonly kind: 'id'; readonly id: string }
  /** The project file exists but cannot be used. */
  | { readonly kind: 'unusable'; readonly why: string };

export const projectFilePath = (projectDir: string): string => join(projectDir, '.colibri', PROJECT_FILE);

export const projectFileText = (id: string): string =>
  `${JSON.stringify({ version: 1, project_id: id }, undefined, 2)}\n`;

const WHY: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ENXIO: 'it is not a regular file',
};

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** The text of a small file. Reads one byte more than allowed, which shows that a file is too long even if its reported size is wrong. */
const readSmall = (path: string): string => {
  const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fs.fstatSync(fd).isFile()) throw new TypeError('it is not a regular file');
    const bytes = Buffer.alloc(START_LIMITS.projectFileBytes + 1);
    const length = fs.readSync(fd, bytes, 0, bytes.length, 0);
    if (length > START_LIMITS.projectFileBytes) throw new TypeError('it is too large');
    return bytes.toString('utf8', 0, length);
  } finally {
    fs.closeSync(fd);
  }
};

const idIn = (text: string): unknown => (JSON.parse(text) as { project_id?: unknown } | null)?.project_id;

const unusable = (why: string): Declared => ({ kind: 'unusable', why });

export const declaredIn = (projectDir: string): Declared => {
  const folder = join(projectDir, '.colibri');
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: 'none' };
  if (!stats.isDirectory()) return unusable('its folder is a link');
  try {
    const id = idIn(readSmall(projectFilePath(projectDir)));
    return isDeclaredId(id) ? { kind: 'id', id } : unusable('project_id is not 32 hexadecimal digits');
  } catch (thrown) {
    const code = String(systemCode(thrown));
    if (code === 'ENOENT') return { kind: 'none' };
    if (thrown instanceof SyntaxError) return unusable('it is not JSON');
    if (thrown instanceof TypeError) return unusable(thrown.message);
    return unusable(WHY[code] ?? `the system says ${code}`);
  }
};
