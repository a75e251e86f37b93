// Tests where proof files go, and that a planted link is never written through.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/stores.js';
import type { Project } from './project.js';
import { proofFolder, writeProofFile } from './proof-folder.js';

const ID = '0199a2f4-0000-4000-8000-000000000001';
const NO_PROJECT = { none: true, rule: '' } as const;

const place = () => {
  const dir = fs.realpathSync(temporaryFolder());
  const project: Project = { none: false, dir: join(dir, 'shop'), name: 'shop', rule: '' };
  fs.mkdirSync(project.dir);
  return { dir, project, path: join(dir, 'colibri.db'), own: join(project.dir, '.colibri') };
};

describe('the folder', () => {
  it('is in .colibri where that is, else beside the store', () => {
    const { project, path, own } = place();
    expect(proofFolder(NO_PROJECT, { path })).toBe(`${path}.proofs`);
    expect(proofFolder(project, { path })).toBe(`${path}.proofs`);
    fs.mkdirSync(own);
    expect(proofFolder(project, { path })).toBe(join(own, 'proofs'));
    expect(proofFolder(project, { path, throwaway: 'x' })).toBe(`${path}.proofs`);
  });

  it.each(['link', 'file'])('is beside the store if .colibri is a %s', (kind) => {
    const { dir, project, path, own } = place();
    if (kind === 'link') fs.symlinkSync(dir, own);
    else fs.writeFileSync(own, '');
    expect(proofFolder(project, { path })).toBe(`${path}.proofs`);
  });
});

describe('the file', () => {
  const written = (folder: string) => fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });

  it('is whole, private and replaced by a later one; nothing is left beside it', () => {
    const folder = join(place().dir, 'proofs');
    for (const text of ['first', 'second']) {
      const { path, problem } = writeProofFile(folder, ID, text);
      expect(problem).toBeUndefined();
      expect(path).toBe(join(folder, `${ID}.tlog-proof`));
      expect(fs.readFileSync(path, 'utf8')).toBe(text);
      expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(written(folder)).toEqual([`${ID}.tlog-proof`]);
  });

  it.each(['../../etc/x', '/abs', 'a/b', '..', 'x\u0000', 'n'.repeat(5_000)])(
    'an id that is not one has no say: %j',
    (id) => {
      const { dir } = place();
      const folder = join(dir, 'proofs');
      const { path, problem } = writeProofFile(folder, id, 'text');
      expect(problem).toBeUndefined();
      expect(path).toMatch(/\/proofs\/[0-9a-f]{64}\.tlog-proof$/);
      expect(written(dir).toSorted()).toEqual(
        ['proofs', join('proofs', path.slice(folder.length + 1)), 'shop'].toSorted(),
      );
    },
  );

  it.each([
    ['the folder is a link', (folder: string, away: string) => fs.symlinkSync(away, folder), /symbolic link/],
    ['the folder is a file', (folder: string) => fs.writeFileSync(folder, ''), /not a folder/],
    [
      'the file is a link to a file',
      (folder: string, away: string) => {
        fs.mkdirSync(folder);
        fs.symlinkSync(join(away, 'victim'), join(folder, `${ID}.tlog-proof`));
      },
      /symbolic link/,
    ],
    [
      'the file is a link that leads nowhere',
      (folder: string, away: string) => {
        fs.mkdirSync(folder);
        fs.symlinkSync(join(away, 'none'), join(folder, `${ID}.tlog-proof`));
      },
      /symbolic link/,
    ],
    [
      'a folder has the name of the file',
      (folder: string) => fs.mkdirSync(join(folder, `${ID}.tlog-proof`), { recursive: true }),
      /something else/,
    ],
  ])('%s: refused', (_, plant, problem) => {
    const { dir } = place();
    const [folder, away] = [join(dir, 'proofs'), join(dir, 'away')];
    fs.mkdirSync(away);
    fs.writeFileSync(join(away, 'victim'), 'as it was');
    plant(folder, away);
    expect(writeProofFile(folder, ID, 'text')).toMatchObject({ problem: expect.stringMatching(problem) });
    expect(written(away)).toEqual(['victim']);
    expect(fs.readFileSync(join(away, 'victim'), 'utf8')).toBe('as it was');
  });

  it('a link above the folder is refused too', () => {
    const { dir } = place();
    fs.mkdirSync(join(dir, 'real'));
    fs.symlinkSync(join(dir, 'real'), join(dir, 'linked'));
    expect(writeProofFile(join(dir, 'linked', 'proofs'), ID, 'text')).toMatchObject({
      problem: expect.stringMatching(/symbolic link/),
    });
    expect(fs.existsSync(join(dir, 'real', 'proofs', `${ID}.tlog-proof`))).toBe(false);
  });
});
