import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addApprovals, approvalsFile, readApprovals } from './approvals.js';
import { connectionDigest } from './connection.js';
import { consentFor } from './consent.js';
import { findSwitchboard } from './place.js';

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

describe('consent', () => {
  const written = { kind: 'stdio', command: 'x', args: [], env: {}, cwd: '/', inheritEnv: 'minimal' } as const;
  const folder = (): string => {
    const dir = mkdtempSync(join(tmpdir(), 'colibri-consent-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    return dir;
  };

  test('is asked for what a project brings, and for nothing else', () => {
    const state = folder();
    expect(consentFor('project', state).holdOf({ written, missing: [] })).toBe('not_approved');
    expect(consentFor('user', state).holdOf({ written, missing: [] })).toBeNull();
    expect(consentFor('environment', state).holdOf({ written, missing: ['A'] })).toBe('missing_variable');
    const approval = { digest: connectionDigest({ written }), server: 's', file: '/f', at: 'now' };
    addApprovals(state, [approval]);
    addApprovals(state, [{ ...approval, digest: 'other' }]);
    expect(readApprovals(state).map(({ digest }) => digest)).toEqual([approval.digest, 'other']);
    expect(statSync(approvalsFile(state)).mode & 0o777).toBe(0o600);
    expect(consentFor('project', state).holdOf({ written, missing: [] })).toBeNull();
    expect(consentFor('project', state).holdOf({ written: { ...written, command: 'y' }, missing: [] })).toBe(
      'not_approved',
    );
  });

  test.each(['', '{', '[]', '{"approved": 1}', '{"approved": [null, 7]}'])(
    'a file that says %j approves nothing',
    (text) => {
      const state = folder();
      writeFileSync(approvalsFile(state), text);
      expect(readApprovals(state)).toEqual([]);
    },
  );
});
