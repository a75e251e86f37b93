// docs/clients.md says what src/clients/ says.
import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { CLIENT_IDS, type ClientId } from '../../src/clients/client.js';
import { CLIENTS } from '../../src/clients/table.js';
import { tomlTable } from '../../src/clients/toml-text.js';

const document = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
const blocks = (kind: string) =>
  [...document.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map((block) => block[1] ?? '');

const around = { home: '~', platform: 'linux', env: {}, projectDir: '.' } as const;
const launch = { command: '/usr/bin/node', args: ['/opt/colibri/dist/cli/main.js', 'serve'], env: {} };

it.each(CLIENT_IDS)('the row of %s: its scopes, its files, its key', (id) => {
  const row = document.split('\n').find((line) => line.startsWith(`| \`${id}\` |`)) ?? '';
  const [, , scopes, files, key] = row.split('|').map((cell) => cell.trim());
  const { scopes: known, places } = CLIENTS[id];
  expect(scopes).toBe(known.join(', '));
  for (const { scope, file, keys } of places(around).filter(({ scope }) => scope !== 'managed')) {
    expect(files, scope).toContain(file.replace(/^~\/\.config\//, ''));
    expect(key).toBe(`\`${keys.at(-1)}\``);
  }
});

it('the snippets are the entries that are written', () => {
  const written = blocks('json').map((block) => JSON.parse(block));
  const shown = (index: number) => (written[index].mcpServers ?? written[index].mcp).colibri;
  const entry = (id: ClientId) => CLIENTS[id].entry(launch);
  const indexes: Readonly<Record<Exclude<ClientId, 'codex'>, number>> = {
    'claude-code': 0,
    vscode: 0,
    cursor: 1,
    'claude-desktop': 1,
    gemini: 1,
    qwen: 1,
    copilot: 2,
    opencode: 3,
    cline: 4,
  };
  for (const [id, index] of Object.entries(indexes)) expect(entry(id as ClientId), id).toEqual(shown(index));
  const [toml = ''] = blocks('toml');
  expect(parse(toml)).toEqual({ mcp_servers: { colibri: entry('codex') } });
  expect(toml).toBe(tomlTable(['mcp_servers', 'colibri'], entry('codex')));
});
