import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HeldState } from '../../files/held-file.js';
import { addApprovals, approvalsFile, readApprovals } from './approvals.js';
import { findSwitchboard, followedPlaces } from './place.js';

describe('which file counts', () => {
  const ask = (named: string | undefined, ...there: string[]) =>
    findSwitchboard({ named, projectDir: '/p', configDir: '/c' }, (file) => there.includes(file));
  const [project, user] = ['/p/.colibri/switchboard.json', '/c/switchboard.json'];

  test('the one that is named, even before it is there', () => {
    expect(ask('/n.json', project, user)).toEqual({ file: '/n.json', origin: 'environment' });
    expect(ask('/n.json')).toEqual({ file: '/n.json', origin: 'environment' });
  });

  test("then the project's, then the user's, then none", () => {
    expect(ask(undefined, project, user)).toEqual({ file: project, origin: 'project' });
    expect(ask(undefined, user)).toEqual({ file: user, origin: 'user' });
    expect(ask(undefined)).toBeUndefined();
  });
});

describe('which files are followed', () => {
  const [project, user] = ['/p/.colibri/switchboard.json', '/c/switchboard.json'];
  const ask = (named: string | undefined, ...there: string[]) =>
    followedPlaces({ named, projectDir: '/p', configDir: '/c' }, (file) => there.includes(file)).map(
      ({ file }) => file,
    );

  test("both the project's and the user's, or the one that is named alone", () => {
    expect(ask(undefined, project, user)).toEqual([project, user]);
    expect(ask(undefined, user)).toEqual([user]);
    expect(ask('/n.json', project, user)).toEqual(['/n.json']);
    expect(ask(undefined)).toEqual([]);
  });
});

describe('consent', () => {
  const folder = (): string => {
    const dir = mkdtempSync(join(tmpdir(), 'colibri-consent-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    return dir;
  };

  test('is kept by digest where it is old, and once for a server of a project', () => {
    const state = folder();
    const held = new HeldState(state);
    const old = { digest: 'a', server: 's', file: '/f', at: 'now' };
    addApprovals(held, [old, { ...old, digest: 'b' }]);
    const kept = { ...old, project: '/p', scope: 'project', entry: {}, routes: {} } as const;
    addApprovals(held, [{ ...kept, digest: 'c' }]);
    addApprovals(held, [
      { ...kept, digest: 'd' },
      { ...kept, digest: 'e', project: '/q' },
    ]);
    expect(readApprovals(state).map(({ digest }) => digest)).toEqual(['a', 'b', 'd', 'e']);
    expect(statSync(approvalsFile(state)).mode & 0o777).toBe(0o600);
  });

  test.each(['', '{', '[]', '{"approved": 1}', '{"approved": [null, 7]}'])(
    'a file that says %j approves nothing',
    (text) => {
      const state = folder();
      writeFileSync(approvalsFile(state), text);
      expect(readApprovals(state)).toEqual([]);
    },
  );

  test.each(['', '{', '[]', '{"approved": 1}'])('a file that says %j is not written over', (text) => {
    const state = folder();
    writeFileSync(approvalsFile(state), text);
    const add = () => addApprovals(new HeldState(state), [{ digest: 'd', server: 's', file: '/f', at: 'now' }]);
    expect(add).toThrow(/approvals\.json cannot be read or is damaged/);
    expect(readFileSync(approvalsFile(state), 'utf8')).toBe(text);
  });
});
