// `colibri uninstall`: what init ever put anywhere is gone, what people and agents made is not.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { clientHome } from '../support/client-home.js';
import { json } from '../support/command-line.js';
import { serverFile } from '../support/dial.js';
import { serve } from '../support/serve.js';
import { CURSOR } from './init.shared.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

test('several runs in two projects, with an import: every byte is back, the store stays', async () => {
  const at = clientHome(['claude']);
  const other = join(at.place.dir, 'other');
  fs.mkdirSync(join(other, '.git'), { recursive: true });
  at.write('home/.cursor/mcp.json', CURSOR);
  at.write(
    'home/.claude.json',
    '{"mcpServers":{"plain":{"command":"node","args":["' +
      serverFile('plain') +
      '"],"env":{"A_KEY_SECRET":"hunter2-hunter2"}}}}',
  );
  const before = at.snapshot();
  for (const args of [
    ['init', '--client', 'cursor', '--agents', '--yes'],
    ['init', '--client', 'claude-code', '--import', '--yes'],
    ['init', '--client', 'codex', '--yes', '--project', other],
  ]) {
    const ran = await at.run(args);
    expect(ran.code, ran.stderr).toBe(0);
  }
  const peer = serve(at.place, { env: { CLAUDE_PROJECT_DIR: at.project } });
  await peer.initialize();
  await peer.phase2();
  await peer.end();
  const store = join(at.project, '.colibri', 'colibri.db');
  expect(fs.existsSync(store)).toBe(true);

  fs.mkdirSync(join(at.state, 'hollow', 'inside'), { recursive: true });
  const dry = await at.run(['uninstall', '--dry-run', '--json']);
  expect(json(dry).left).not.toContain(join(at.state, 'hollow'));
  fs.rmSync(join(at.state, 'hollow'), { recursive: true });
  expect(json(dry)).toMatchObject({
    dry_run: true,
    runs: 3,
    left: expect.arrayContaining([join(at.project, '.colibri')]),
  });
  const secrets = { file: join(at.state, 'secrets.json'), how: 'removed' };
  expect(json(dry).files.at(-1)).toEqual(secrets);
  expect(await at.run(['uninstall'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });

  const ran = await at.run(['uninstall', '--yes', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(json(ran).files.at(-1)).toEqual(secrets);
  expect(json(ran).left).toEqual(expect.arrayContaining([join(at.project, '.colibri'), join(at.state, 'keys')]));
  const after = at.snapshot();
  const ours = Object.keys(after).filter((path) => !path.startsWith('project/.colibri/'));
  expect(Object.fromEntries(ours.map((path) => [path, after[path]]))).toEqual(before);
  expect(fs.existsSync(store)).toBe(true);
  // As long as the store is there, git must not see it.
  expect(after).toHaveProperty('project/.colibri/.gitignore');
  expect(after).not.toHaveProperty('project/.colibri/switchboard.json');
  const kept = fs.readdirSync(at.state);
  for (const gone of ['approvals.json', 'secrets.json', 'init']) expect(kept).not.toContain(gone);
  for (const name of kept) expect(json(ran).left).toContain(join(at.state, name));
  expect(await at.run(['uninstall'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^There is nothing to remove\.\n/),
  });
  expect(fs.readdirSync(at.state)).toEqual(kept);
});
