// Nobody can agree to what is hidden: every argument is on the screen, whatever it looks like.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshPlace } from '../support/serve.js';
import { project, stateFile } from './consent.shared.js';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

test('no argument, variable or address is hidden by a guess, in approve and in check', async () => {
  const place = freshPlace();
  const a = project(place);
  const servers = {
    flag: { command: 'python3', args: ['-Xtoken', 'evil.py'] },
    long: { command: 'node', args: ['--password', 'evil.js'] },
    pair: { command: 'node', args: ['--secret=evil.js'] },
    variable: { command: 'env', args: ['TOKEN=evil', 'run'] },
    shape: { command: 'sh', args: [TOKEN] },
    header: { command: 'run', args: ['--header', 'Authorization: evil-tool'] },
    code: { command: 'sh', args: ['-c', '$API_KEY'], env: { API_KEY: 'evil-tool' } },
    address: { url: `https://evil.example/${TOKEN}` },
    password: { url: 'https://good.example:evil-host@far.example/mcp?token=evil' },
    spaces: { command: 'sh', args: ['-c', 'good', '  evil  '] },
  };
  a.write({ mcpServers: servers });
  const approved = await a.run('switchboard', 'approve', '--yes');
  const checked = await a.run('switchboard', 'check');
  for (const line of [
    'python3 -Xtoken evil.py',
    'node --password evil.js',
    'node --secret=evil.js',
    'env TOKEN=evil run',
    `sh ${TOKEN}`,
    'run --header Authorization: evil-tool',
    'sh -c $API_KEY',
    `https://evil.example/${TOKEN}`,
    'https://good.example:evil-host@far.example/mcp?token=evil',
    'sh -c good   evil  ',
  ]) {
    expect(approved.stderr).toContain(`: ${line}\n`);
    expect(checked.stdout).toContain(`    ${line}\n`);
  }
  expect(approved.stderr).toContain('    API_KEY=evil-tool\n');
  expect(approved.stderr).toContain('    argument 3: "  evil  "\n');
  expect(approved.stderr).not.toContain('[redacted]');
});

test("a value of the user's secrets file is told by its name, wherever it stands", async () => {
  const place = freshPlace();
  const a = project(place);
  fs.mkdirSync(join(place.home, 'state', 'colibri'), { recursive: true });
  const secrets = { KEY: 'k3y.of(mine)', LONG: 'k3y.of(mine)-and-more', S: 'abc' };
  fs.writeFileSync(stateFile(place, 'secrets.json'), JSON.stringify({ version: 1, secrets }), { mode: 0o600 });
  const servers = {
    it: {
      command: 'node',
      args: ['abc.js', '--key=k3y.of(mine)', 'k3y.of(mine)-and-more'],
      env: { A: 'x-k3y.of(mine)-x' },
      health: { capability: { tool: 't', arguments: { key: 'k3y.of(mine)' } } },
      tools: { readOnly: ['t'] },
    },
  };
  a.write({ mcpServers: servers });
  const { stderr } = await a.run('switchboard', 'approve', '--yes');
  expect(stderr).toContain('  it: node abc.js --key=[secret KEY] [secret LONG]\n');
  expect(stderr).toContain('    A=x-[secret KEY]-x\n');
  expect(stderr).toContain('"arguments":{"key":"[secret KEY]"}');
  expect(stderr).not.toContain('k3y.of');
});
