// Secrets that people write down: in thoughts and tasks, on the command line of `switchboard add`, in a switchboard file.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, dataOf, json, rows, stateDir } from '../support/command-line.js';
import { SECRETS } from '../support/secrets.js';
import { freshPlace, type Place, session } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { project } from '../switchboard/cli.shared.js';
import { written } from './secrets.shared.js';

vi.setConfig({ testTimeout: 60_000 });

const TOKEN = SECRETS.find(({ kind }) => kind === 'GitHub classic')?.secret ?? '';
const KEY = SECRETS.find(({ kind }) => kind === 'private key of EC')?.secret ?? '';
/** As a switchboard file asks for a secret. */
const asked = (name: string): string => `\${secret:${name}}`;
const PROSE = 'We talked about the password reset flow: token: string, password: must be long, max_tokens=5.';

test('a thought and a task keep their words, lose a token, and the answer says so', async () => {
  const place = freshPlace();
  const { value } = await session(place, async (peer) => {
    const made = dataOf(await peer.call('task_create', { title: `Rotate ${TOKEN}`, description: `${PROSE} ${KEY}` }));
    const task = { ...dataOf(await peer.call('task_get', { task_id: made.task_id })), ...made };
    const note = { task_id: made.task_id, status: 'GATHER', note: `found ${TOKEN} in the log` };
    const moved = dataOf(await peer.call('task_update', note));
    const thought = { type: 'decision', content: `Bearer ${TOKEN} was used`, idempotency_key: 'k' };
    const first = dataOf(await peer.call('thought_record', thought));
    const again = dataOf(await peer.call('thought_record', thought));
    const intent = dataOf(await peer.call('audit_session_start', { intent: `look at ${TOKEN}` }));
    const plain = dataOf(await peer.call('thought_record', { type: 'plan', content: PROSE }));
    return { task, moved, first, again, intent, plain };
  });
  expect(value.task).toMatchObject({ title: 'Rotate [redacted]', redacted: ['title', 'description'] });
  expect(value.moved).toMatchObject({ redacted: ['note'] });
  expect(value.first).toMatchObject({ redacted: ['content'] });
  expect(value.again).toEqual(value.first);
  expect(value.intent).toMatchObject({ intent: 'look at [redacted]', redacted: ['intent'] });
  expect(value.plain).not.toHaveProperty('redacted');
  const contents = rows<{ content: string }>(place, 'SELECT content FROM thoughts').map(({ content }) => content);
  expect(contents).toContain(PROSE);
  expect(contents).toContain('found [redacted] in the log');
  const bytes = written(place);
  expect(bytes.includes(TOKEN) || bytes.includes(KEY.split('\n')[1] ?? '')).toBe(false);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

const ADDED: Readonly<Record<string, readonly string[]>> = {
  variable: ['-e', 'API_TOKEN=hunter2-env', '-e', 'PORT=80', '--', 'node', 'server.js'],
  shaped: ['-e', `SETTING=${TOKEN}`, '--', 'node', 'server.js'],
  flag: ['--', 'node', 'server.js', '--api-key', 'hunter2-flag', '--verbose'],
  equals: ['--', 'node', 'server.js', '--token=hunter2-equals'],
  login: ['http://me:hunter2-login@127.0.0.1:1/mcp'],
  query: ['http://127.0.0.1:1/mcp?page=2&access_token=hunter2-query'],
  header: ['http://127.0.0.1:1/mcp', '--header', 'X-Api-Key: hunter2-header', '-H', 'Accept-Language: en'],
  bearer: ['http://127.0.0.1:1/mcp', '-H', 'Authorization: Bearer hunter2-bearer'],
};

const addAll = async (place: Place, env: Record<string, string>): Promise<string> => {
  let told = '';
  for (const [name, args] of Object.entries(ADDED)) {
    const ran = await colibri(place, ['switchboard', 'add', name, ...args], { env });
    expect(ran.code, `${name}: ${ran.stderr}`).toBe(0);
    told += ran.stdout + ran.stderr;
  }
  return told;
};

test('a secret given to switchboard add goes to the secret store and not into the file', async () => {
  const place = freshPlace();
  const { env, file } = project(place);
  const told = await addAll(place, env);
  const text = fs.readFileSync(file, 'utf8');
  for (const shown of [text, told]) {
    expect(shown).not.toContain('hunter2');
    expect(shown).not.toContain(TOKEN);
  }
  const { mcpServers } = JSON.parse(text);
  expect(mcpServers.variable.env).toEqual({ API_TOKEN: asked('variable.API_TOKEN'), PORT: '80' });
  expect(mcpServers.bearer.headers).toEqual({ Authorization: `Bearer ${asked('bearer.Authorization')}` });
  expect(mcpServers.header.headers['Accept-Language']).toBe('en');
  expect(mcpServers.query.url).toContain('page=2');
  const store = join(stateDir(place), 'secrets.json');
  expect(fs.statSync(store).mode & 0o777).toBe(0o600);
  const { secrets } = JSON.parse(fs.readFileSync(store, 'utf8'));
  const values = Object.values(secrets as Record<string, string>).sort();
  expect(values).toEqual(
    [TOKEN, ...['env', 'flag', 'equals', 'login', 'query', 'header', 'bearer'].map((kind) => `hunter2-${kind}`)].sort(),
  );
  const checked = json(await colibri(place, ['switchboard', 'check', '--json'], { env }));
  expect(checked.errors).toEqual([]);
  expect(checked.servers.filter(({ verdict }: { verdict: string }) => verdict === 'missing_variable')).toEqual([]);
});

test('what cannot be added leaves no secret behind, and a taken name keeps its own', async () => {
  const place = freshPlace();
  const { env } = project(place);
  const refused = await colibri(place, ['switchboard', 'add', 'x', 'ftp://me:hunter2@host/'], { env });
  expect(refused.code).toBe(1);
  expect(fs.existsSync(join(stateDir(place), 'secrets.json'))).toBe(false);
  for (const value of ['one', 'two'])
    await colibri(place, ['switchboard', 'add', 'x', '-e', `TOKEN=${value}`, '--', 'node'], { env });
  const { secrets } = JSON.parse(fs.readFileSync(join(stateDir(place), 'secrets.json'), 'utf8'));
  expect(secrets).toEqual({ 'x.TOKEN': 'one' });
});

test('switchboard remove takes the secrets of the server along, unless something else asks for them', async () => {
  const place = freshPlace();
  const { env } = project(place);
  const stored = () => JSON.parse(fs.readFileSync(join(stateDir(place), 'secrets.json'), 'utf8')).secrets;
  for (const name of ['mine', 'shared'])
    await colibri(place, ['switchboard', 'add', name, '-e', `TOKEN=of ${name}`, '--', 'node'], { env });
  const config = join(place.home, 'config', 'colibri');
  fs.mkdirSync(config, { recursive: true });
  const other = { mcpServers: { other: { command: 'node', env: { T: asked('shared.TOKEN') } } } };
  fs.writeFileSync(join(config, 'switchboard.json'), JSON.stringify(other));
  const removed = await colibri(place, ['switchboard', 'remove', 'mine'], { env });
  expect(removed.stdout).toMatch(/removed mine\.TOKEN from .*secrets\.json: nothing else refers to it/);
  expect(stored()).toEqual({ 'shared.TOKEN': 'of shared' });
  const kept = json(await colibri(place, ['switchboard', 'remove', 'shared', '--json'], { env }));
  expect(kept).toMatchObject({ removed: 'shared', secrets_removed: [] });
  expect(stored()).toEqual({ 'shared.TOKEN': 'of shared' });
});

test('a server of a repository that nobody approved takes no secret of the user’s along', async () => {
  const place = freshPlace();
  const { env, file } = project(place);
  await colibri(place, ['switchboard', 'add', 'mine', '-e', 'TOKEN=precious', '--', 'node'], { env });
  const { mcpServers } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const dir = join(place.dir, 'theirs');
  fs.mkdirSync(join(dir, '.colibri'), { recursive: true });
  fs.writeFileSync(
    join(dir, '.colibri', 'switchboard.json'),
    JSON.stringify({ mcpServers: { mine: { ...mcpServers.mine, args: ['evil'] } } }),
  );
  fs.writeFileSync(file, '{"mcpServers": {}}');
  await colibri(place, ['switchboard', 'remove', 'mine'], { env: { COLIBRI_PROJECT_DIR: dir } });
  expect(fs.readFileSync(join(stateDir(place), 'secrets.json'), 'utf8')).toContain('precious');
});

test('doctor names servers whose secrets are written out, and not the secrets', async () => {
  const place = freshPlace();
  writeBoard(place, {
    literal: { command: 'node', args: ['--token', 'hunter2'], env: { DB_PASSWORD: 'hunter2' } },
    address: { url: 'http://me:hunter2@127.0.0.1:1/mcp' },
    fine: { command: 'node', args: [], env: { API_KEY: asked('fine.API_KEY'), PORT: '80' } },
  });
  const { stdout } = await colibri(place, ['doctor']);
  expect(stdout).toMatch(/literal has secrets in plain text in the file: token, DB_PASSWORD/);
  expect(stdout).toMatch(/address has secrets in plain text in the file: url\.password/);
  expect(stdout).not.toMatch(/fine has secrets/);
  expect(stdout).not.toContain('hunter2');
});
