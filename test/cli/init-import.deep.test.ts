// `colibri init --import`: which servers move, as what, and that no secret of theirs is left in the project.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as the files have it
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test, vi } from 'vitest';
import { type ClientHome, clientHome } from '../support/client-home.js';
import { json } from '../support/command-line.js';
import { serverFile } from '../support/dial.js';
import { httpFake } from '../support/http-server.js';
import { answerQuestions, CTRL_C, hasTerminals } from '../support/terminal.js';
import { SECRET } from './init.shared.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

const PLAIN = serverFile('plain');
const SHAPED = 'ghp_0123456789abcdefghijABCDEFGHIJ';

/** Rows by client, scope and name. */
const rowsOf = (servers: { client: string; scope: string; server: string }[]) =>
  Object.fromEntries(servers.map((row) => [`${row.client} ${row.scope} ${row.server}`, row]));

const boardOf = (at: ClientHome, where: 'user' | 'project') =>
  JSON.parse(at.read(where === 'user' ? 'home/config/colibri/switchboard.json' : 'project/.colibri/switchboard.json'))
    .mcpServers;

/** Servers of all kinds in all scopes of three clients. */
const household = (at: ClientHome, login: string): void => {
  const server = (more: object = {}) => ({ command: 'node', args: [PLAIN], ...more });
  at.write(
    'home/.cursor/mcp.json',
    JSON.stringify({
      mcpServers: {
        github: server({ env: { GITHUB_TOKEN: SECRET, LEVEL: '${env:LEVEL}' } }),
        folder: server({ args: [PLAIN, '${workspaceFolder}'] }),
        linear: { url: login },
        remote: { url: login, headers: { Authorization: 'Bearer open-sesame' } },
        signs: { url: 'https://x.example/mcp', auth: { CLIENT_ID: 'x' } },
        dead: server({ args: [serverFile('dead')] }),
        off: server({ disabled: true }),
        unset: server({ env: { A: '${env:NOBODY_SET_THIS}' } }),
      },
    }),
  );
  at.write(
    'project/.vscode/mcp.json',
    `{
  // asks
  "inputs": [{ "id": "key", "type": "promptString", "description": "key" }],
  "servers": {
    "asks": { "command": "node", "args": ["x"], "env": { "K": "\${input:key}" } },
    "here": { "type": "stdio", "command": "node", "args": [${JSON.stringify(PLAIN)}, "\${workspaceFolder}/data", "--api-key=${SECRET}"] },
    "boxed": { "command": "node", "sandboxEnabled": true },
    "filed": { "command": "node", "envFile": ".env" },
  },
}
`,
  );
  at.write(
    'home/.codex/config.toml',
    `model = "x" # mine

[mcp_servers.github]
command = "node"
args = [${JSON.stringify(PLAIN)}]
env_vars = ["LEVEL"]
tool_timeout_sec = 12.5
disabled_tools = ["hang"]
default_tools_approval_mode = "approve"

[mcp_servers.github.env]
SOMETHING = "${SHAPED}"

[mcp_servers.oauth]
url = "https://x.example/mcp"
scopes = ["read"]
`,
  );
  at.write(
    'project/.mcp.json',
    JSON.stringify(
      { mcpServers: { here: server({ args: [PLAIN, '${CLAUDE_PROJECT_DIR:-.}', '${WORD:-none}'] }) } },
      undefined,
      2,
    ),
  );
  at.write('home/.claude/settings.json', '{}');
};

const CLIENTS = ['--client', 'claude-code', '--client', 'cursor', '--client', 'vscode', '--client', 'codex'];

test('each server is moved, changed or left, and told why; undo gives every byte back', async () => {
  const at = clientHome();
  const login = await httpFake({ logFile: join(at.place.dir, 'http.log') } as never, 'http-login');
  household(at, login.url);
  const before = at.snapshot();
  const env = { LEVEL: 'debug' };

  const dry = await at.run(['init', ...CLIENTS, '--import', '--dry-run', '--json'], { env });
  expect(dry.code, dry.stderr).toBe(0);
  expect(rowsOf(json(dry).servers)['cursor user dead']).toMatchObject({ verdict: 'untried' });
  expect(at.snapshot()).toEqual(before);
  expect(fs.existsSync(at.state)).toBe(false);
  const own = (name: string, more: object) => ({ file: join(at.state, name), ...more });

  const ran = await at.run(['init', ...CLIENTS, '--import', '--yes', '--json'], { env });
  expect(ran.code, ran.stderr).toBe(0);
  expect(json(ran).files.slice(-2)).toEqual([
    own('secrets.json', { action: 'made', what: expect.stringContaining('gets 4 secrets') }),
    own('approvals.json', { action: 'made', what: expect.stringContaining('gets the approval of 2 servers') }),
  ]);
  const rows = rowsOf(json(ran).servers);
  const left = (why: string) => ({ verdict: 'left', as: null, why: [expect.stringContaining(why)] });
  const moved = (as: string, where: string, ...why: string[]) => ({
    verdict: why.length === 0 ? 'moved' : 'changed',
    as,
    into: expect.stringContaining(where),
    why: why.map((words) => expect.stringContaining(words)),
  });
  expect(rows).toMatchObject({
    'claude-code project here': moved('here', '.colibri'),
    'cursor user github': moved('github', 'config', 'GITHUB_TOKEN goes to the secrets file'),
    'cursor user remote': moved('remote', 'config', 'Authorization goes to the secrets file'),
    'cursor user folder': left('${workspaceFolder}'),
    'cursor user linear': left('signs in interactively (HTTP 401)'),
    'cursor user signs': left('signs in interactively ("auth")'),
    'cursor user dead': left('does not answer (it ended while it was starting: exited'),
    'cursor user off': left('switched off'),
    'cursor user unset': left('not set: NOBODY_SET_THIS'),
    'vscode project asks': left('${input:'),
    'vscode project here': moved('here-2', '.colibri', 'api-key goes to the secrets file', 'is renamed to here-2'),
    'vscode project boxed': left('sandbox'),
    'vscode project filed': left('envFile'),
    'codex user github': moved(
      'github-2',
      'config',
      'home folder',
      'set approvals',
      'SOMETHING goes to the secrets file',
      'is renamed to github-2',
    ),
    'codex user oauth': left('signs in interactively ("scopes")'),
  });
  expect(Object.keys(rows)).toHaveLength(15);
  expect(boardOf(at, 'user')).toEqual({
    github: {
      command: 'node',
      args: [PLAIN],
      env: { GITHUB_TOKEN: '${secret:github.GITHUB_TOKEN}', LEVEL: '${env:LEVEL}' },
      cwd: at.home,
      inheritEnv: 'all',
    },
    remote: { url: login.url, headers: { Authorization: 'Bearer ${secret:remote.Authorization}' } },
    'github-2': {
      command: 'node',
      args: [PLAIN],
      env: { SOMETHING: '${secret:github.SOMETHING}' },
      cwd: at.home,
      inheritEnv: ['LEVEL'],
      timeoutMs: 12_500,
      tools: { deny: ['hang'] },
    },
  });
  const project = boardOf(at, 'project');
  expect(Object.keys(project)).toEqual(['here', 'here-2']);
  expect(project.here).toEqual({
    command: 'node',
    args: [PLAIN, at.project, '${WORD:-none}'],
    cwd: '..',
    inheritEnv: 'all',
  });
  expect(project['here-2'].args).toEqual([PLAIN, join(at.project, 'data'), '--api-key=${secret:here.api-key}']);

  const searched = Object.entries(at.snapshot()).filter(([path]) => path.startsWith('project/'));
  expect(searched.length).toBeGreaterThan(3);
  for (const [path, text] of searched)
    for (const secret of [SECRET, SHAPED, 'open-sesame']) expect(text, path).not.toContain(secret);
  for (const text of [ran.stdout, ran.stderr, dry.stdout, dry.stderr]) {
    for (const secret of [SECRET, SHAPED, 'open-sesame']) expect(text).not.toContain(secret);
  }
  const secrets = join(at.state, 'secrets.json');
  expect(fs.statSync(secrets).mode & 0o777).toBe(0o600);
  expect(JSON.parse(fs.readFileSync(secrets, 'utf8')).secrets).toEqual({
    'github.GITHUB_TOKEN': SECRET,
    'github.SOMETHING': SHAPED,
    'here.api-key': SECRET,
    'remote.Authorization': 'open-sesame',
  });

  // The clients keep what was left, and have Colibri instead of the rest.
  const names = (path: string, key: string) => Object.keys(JSON.parse(at.read(path))[key]);
  expect(names('home/.cursor/mcp.json', 'mcpServers')).toEqual([
    'folder',
    'linear',
    'signs',
    'dead',
    'off',
    'unset',
    'colibri',
  ]);
  expect(at.read('project/.vscode/mcp.json')).toContain('// asks');
  expect(parse(at.read('home/.codex/config.toml')).mcp_servers).toMatchObject({ oauth: {}, colibri: {} });
  expect(names('project/.mcp.json', 'mcpServers')).toEqual([]);

  const back = [own('secrets.json', { how: 'removed' }), own('approvals.json', { how: 'edited' })];
  expect(json(await at.run(['init', '--undo', '--dry-run', '--json'])).files.slice(-2)).toEqual(back);
  expect(json(await at.run(['init', '--undo', '--yes', '--json'])).files.slice(-2)).toEqual(back);
  expect(at.snapshot()).toEqual(before);
  expect(fs.existsSync(secrets)).toBe(false);
  expect(JSON.parse(fs.readFileSync(join(at.state, 'approvals.json'), 'utf8')).approved).toEqual([]);
});

test('rules and hooks that name a moved tool are told, with what they should become', async () => {
  const at = clientHome();
  at.write('project/.mcp.json', JSON.stringify({ mcpServers: { 'my.server': { command: 'node', args: [PLAIN] } } }));
  at.write(
    'home/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { memory: { command: 'node', args: [PLAIN, 'x'] } } }),
  );
  const settings = at.write(
    'project/.claude/settings.json',
    `{
  "permissions": { "allow": ["mcp__my_server__echo", "mcp__my_server", "mcp__my_serverless__x", "Bash(ls)"] },
  "hooks": { "PreToolUse": [{ "matcher": "mcp__my_server__.*", "hooks": [] }] }
}
`,
  );
  at.write('home/.cursor/permissions.json', '{ "mcpAllowlist": ["memory:echo", "memory:*", "other:echo"] }');
  const before = at.snapshot();
  const ran = await at.run(['init', '--client', 'claude-code', '--client', 'cursor', '--import', '--yes', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  const { rules } = json(ran);
  const mine = rules.filter(({ file }: { file: string }) => file === settings);
  expect(mine).toMatchObject([
    {
      line: 2,
      found: 'mcp__my_server__echo',
      becomes: expect.stringMatching(/^mcp__colibri__my_server__echo_[0-9a-f]{6}$/),
    },
    { line: 2, found: 'mcp__my_server', becomes: 'mcp__colibri__my_server__*' },
    { line: 3, found: 'mcp__my_server__.*', becomes: 'mcp__colibri__my_server__.*' },
  ]);
  expect(rules.slice(3)).toMatchObject([
    { found: 'memory:echo', becomes: 'colibri:memory__echo' },
    { found: 'memory:*', becomes: 'colibri:memory__*' },
  ]);
  for (const path of ['project/.claude/settings.json', 'home/.cursor/permissions.json']) {
    expect(at.snapshot()[path]).toBe(before[path]);
  }
});

test.runIf(hasTerminals)(
  'on a terminal: who answered while it is tried, and a summary above the question',
  async () => {
    const at = clientHome();
    const servers = {
      one: { command: 'node', args: [PLAIN], env: { A_TOKEN: SECRET } },
      dead: { command: 'node', args: [serverFile('dead')] },
    };
    at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: servers }));
    at.write('project/.colibri/switchboard.json', '{ "mcpServers": {} }');
    const before = at.snapshot();
    const args = ['init', '--client', 'cursor', '--import'];

    const dry = await answerQuestions(at, [...args, '--dry-run'], ['no\n']);
    expect(dry, dry.text).toMatchObject({ code: 0, text: expect.stringContaining('this was a dry run') });
    expect(dry.text).toMatch(/untried +one/);
    expect(dry.text).not.toContain(' of 2 ');

    const declined = await answerQuestions(at, args, ['y\n', 'd\n', 'no\n']);
    expect(declined.code, declined.text).toBe(1);
    expect(declined.text).toMatch(/ 2 of 2 {2}/);
    expect(declined.text).toContain('one: answers, 5 tools');
    expect(declined.text).toContain('dead: it ended while it was starting: exited');
    const summary = declined.text.slice(declined.text.indexOf('In short:'), declined.text.indexOf('Change '));
    expect(summary.split('\n').map((line) => line.replaceAll(at.place.dir, '').trimEnd())).toEqual([
      'In short:',
      '  new    /home/config/colibri/switchboard.json',
      '  new    /project/.colibri/.gitignore',
      '  new    /project/.colibri/project.json',
      '  edited /home/.cursor/mcp.json',
      '  new    /home/state/colibri/secrets.json',
      '  servers: changed 1, left 1',
      expect.stringMatching(/^ {4}left dead \(cursor\): does not answer/),
      expect.stringContaining('There is one switchboard: from then on every client'),
      '',
    ]);
    // What would change is shown to whoever asks for it.
    const [asked = '', shown = ''] = declined.text.split('Change 5 files?', 2);
    expect(asked).not.toMatch(/secrets\.json \(new/);
    expect(shown).toMatch(/^ \(d shows every change\) Type yes or no: [\s\S]*secrets\.json \(new.*one\.A_TOKEN/s);
    expect(at.snapshot()).toEqual(before);
  },
);

test('taking servers back names the routes that go off with them', async () => {
  const at = clientHome();
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { one: { command: 'node', args: [PLAIN] } } }));
  const ran = await at.run(['init', '--client', 'cursor', '--import', '--yes']);
  expect(ran.code, ran.stderr).toBe(0);
  const board = { ...JSON.parse(at.read('home/config/colibri/switchboard.json')), routes: { 'do:it': ['one/echo'] } };
  at.write('home/config/colibri/switchboard.json', JSON.stringify(board));
  for (const args of [
    ['uninstall', '--dry-run'],
    ['init', '--undo', '--yes'],
  ]) {
    expect((await at.run(args)).stdout).toContain(
      '  route do:it is switched off: it names one; correct or remove the route\n',
    );
  }
});

test('one switchboard: the plan says that every client gets them, and whose a server is where two have one name', async () => {
  const at = clientHome();
  const servers = (...args: string[]) =>
    JSON.stringify({ mcpServers: { same: { command: 'node', args: [PLAIN, ...args] } } });
  at.write('home/.cursor/mcp.json', servers('cursors'));
  at.write('home/.claude.json', servers('claudes'));
  const args = ['init', '--client', 'cursor', '--client', 'claude-code', '--scope', 'user', '--import'];
  const everyone =
    /^There is one switchboard: from then on every client that starts Colibri at user level gets all .*: same, same-2\.$/m;
  const ran = await at.run([...args, '--dry-run', '--yes']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toMatch(everyone);
  expect(ran.stderr).toMatch(/^ {2}same \(Cursor, user\): node .* cursors$/m);
  expect(ran.stderr).toMatch(/^ {2}same-2 \(Claude Code, user\): node .* claudes$/m);
  if (!hasTerminals) return;
  const declined = await answerQuestions(at, args, ['y\n', 'd\n', 'no\n']);
  const [, summary = ''] = declined.text.split('In short:');
  expect(summary.replaceAll(/\s+/g, ' ')).toContain('There is one switchboard: from then on every client');
});

test.runIf(hasTerminals)(
  'what others lose is said once, beside the question; nobody is asked in a dry run, and it is said',
  async () => {
    const at = clientHome();
    at.write('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { one: { command: 'node', args: [PLAIN] } } }));
    const args = ['init', '--client', 'cursor', '--import'];
    const declined = await answerQuestions(at, args, ['y\n', 'd\n', 'no\n']);
    const [above = '', beside = ''] = declined.text.split('In short:');
    expect(
      [above, beside].map((part) => /others\s+lose/.test(part)),
      declined.text,
    ).toEqual([false, true]);
    const dry = await at.run([...args, '--dry-run']);
    expect(dry.stdout.match(/others lose/g)).toHaveLength(1);
  },
);

test.runIf(hasTerminals)('Ctrl-C while servers are tried: it says that nothing was changed', async () => {
  const at = clientHome();
  const silent = { command: 'node', args: ['-e', 'setInterval(() => {}, 1000)'] };
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { silent } }));
  const before = at.snapshot();
  const waited = /ype yes or no: |waiting for 1 answer/g;
  const stopped = await answerQuestions(at, ['init', '--client', 'cursor', '--import'], ['y\n', CTRL_C], waited);
  expect(stopped, stopped.text).toMatchObject({
    code: 130,
    text: expect.stringMatching(/\ncolibri: Nothing was changed\.\n$/),
  });
  expect(at.snapshot()).toEqual(before);
});

test('a server that was refused in Claude Code is not started either', async () => {
  const at = clientHome();
  const mark = join(at.place.dir, 'started');
  const evil = { command: 'sh', args: ['-c', `: > ${mark}`] };
  at.write('project/.mcp.json', JSON.stringify({ mcpServers: { evil, worse: evil } }));
  at.write('project/.claude/settings.local.json', '{ "disabledMcpjsonServers": ["evil"] }');
  at.write('home/.claude.json', JSON.stringify({ projects: { [at.project]: { disabledMcpServers: ['worse'] } } }));
  const ran = await at.run(['init', '--client', 'claude-code', '--import', '--yes', '--json']);
  expect(json(ran).servers).toMatchObject([
    { server: 'evil', verdict: 'left', why: ['it is switched off there'] },
    { server: 'worse', verdict: 'left', why: ['it is switched off there'] },
  ]);
  expect(fs.existsSync(mark)).toBe(false);
});

test("a user's server is not taken where Colibri is entered for one project only", async () => {
  const at = clientHome();
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { mine: { command: 'node', args: [PLAIN] } } }));
  const ran = await at.run(['init', '--client', 'cursor', '--scope', 'project', '--import', '--yes', '--json']);
  expect(json(ran).servers).toMatchObject([{ verdict: 'left', why: [expect.stringContaining('--scope user')] }]);
  expect(JSON.parse(at.read('home/.cursor/mcp.json')).mcpServers).toHaveProperty('mine');
});

test('the same server of two clients moves once, and counts in a project with a file of its own too', async () => {
  const at = clientHome();
  const server = { command: 'node', args: [PLAIN], env: { A_TOKEN: SECRET } };
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { one: server } }));
  at.write('home/config/Claude/claude_desktop_config.json', JSON.stringify({ mcpServers: { one: server } }));
  at.write('project/.colibri/switchboard.json', '{\n  // ours\n  "mcpServers": {}\n}\n');
  const before = at.snapshot();
  const ran = await at.run(['init', '--client', 'cursor', '--client', 'claude-desktop', '--import', '--yes', '--json']);
  expect(rowsOf(json(ran).servers)).toMatchObject({
    'cursor user one': { verdict: 'changed', as: 'one' },
    'claude-desktop user one': {
      verdict: 'changed',
      as: 'one',
      why: expect.arrayContaining([expect.stringContaining('the same server')]),
    },
  });
  expect(Object.keys(boardOf(at, 'user'))).toEqual(['one']);
  expect(at.read('project/.colibri/switchboard.json')).toBe('{\n  // ours\n  "mcpServers": {}\n}\n');
  const checked = await at.run(['switchboard', 'check', '--json']);
  expect(json(checked).servers).toMatchObject([{ server: 'one', verdict: 'ready' }]);
  await at.run(['init', '--undo', '--yes']);
  expect(at.snapshot()).toEqual(before);
});

test("what a project's file adds to an imported server by its defaults is not approved with it", async () => {
  const at = clientHome();
  const server = { command: 'node', args: [PLAIN] };
  at.write('project/.mcp.json', JSON.stringify({ mcpServers: { one: server } }));
  const hostile = { mcpServers: {}, defaults: { env: { NODE_OPTIONS: '--no-warnings' } } };
  at.write('project/.colibri/switchboard.json', JSON.stringify(hostile));
  const ran = await at.run(['init', '--client', 'claude-code', '--import', '--yes', '--json']);
  expect(rowsOf(json(ran).servers)).toMatchObject({ 'claude-code project one': { as: 'one' } });
  const { servers } = json(await at.run(['switchboard', 'check', '--json']));
  expect(servers).toMatchObject([{ server: 'one', verdict: 'not_approved' }]);
});

test('an entry that was there before is not approved because a server of its name and command moves', async () => {
  const at = clientHome();
  const server = { command: 'node', args: [PLAIN] };
  at.write('project/.mcp.json', JSON.stringify({ mcpServers: { one: server } }));
  const hostile = { mcpServers: { one: { ...server, tools: { readOnly: ['*'] }, cwd: '/' } } };
  at.write('project/.colibri/switchboard.json', JSON.stringify(hostile));
  await at.run(['init', '--client', 'claude-code', '--import', '--yes', '--json']);
  const { servers } = json(await at.run(['switchboard', 'check', '--json']));
  expect(servers).toMatchObject([{ server: 'one', verdict: 'not_approved' }]);
});

test('a hand edit after an import survives; what was moved comes back beside it', async () => {
  const at = clientHome();
  const server = { command: 'node', args: [PLAIN], env: { A_TOKEN: SECRET } };
  at.write(
    'home/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { one: server, two: { command: 'node', args: [PLAIN, 'x'] } } }),
  );
  at.write(
    'home/.codex/config.toml',
    `# mine\n[mcp_servers.three]\ncommand = "node"\nargs = [${JSON.stringify(PLAIN)}, "y"]\n`,
  );
  expect((await at.run(['init', '--client', 'cursor', '--client', 'codex', '--import', '--yes'])).code).toBe(0);
  const cursor = JSON.parse(at.read('home/.cursor/mcp.json'));
  expect(Object.keys(cursor.mcpServers)).toEqual(['colibri']);
  cursor.mcpServers.two = { command: 'mine-now' };
  at.write('home/.cursor/mcp.json', JSON.stringify(cursor));
  at.write('home/.codex/config.toml', `${at.read('home/.codex/config.toml')}\n[more]\nx = 1\n`);
  const board = JSON.parse(at.read('home/config/colibri/switchboard.json'));
  board.mcpServers.added = { command: 'by-hand', env: { T: '${secret:one.A_TOKEN}' } };
  at.write('home/config/colibri/switchboard.json', JSON.stringify(board));
  const undone = await at.run(['init', '--undo', '--yes']);
  expect(undone.code, undone.stderr).toBe(0);
  expect(undone.stdout).not.toContain(SECRET);
  expect(JSON.parse(at.read('home/.cursor/mcp.json')).mcpServers).toEqual({
    two: { command: 'mine-now' },
    one: server,
  });
  expect(at.read('home/.codex/config.toml')).toContain('# mine\n');
  expect(parse(at.read('home/.codex/config.toml'))).toEqual({
    mcp_servers: { three: { command: 'node', args: [PLAIN, 'y'] } },
    more: { x: 1 },
  });
  expect(Object.keys(JSON.parse(at.read('home/config/colibri/switchboard.json')).mcpServers)).toEqual(['added']);
  // The server that was added by hand asks for the secret, so that stays.
  expect(at.read('home/state/colibri/secrets.json')).toContain(SECRET);
});

test('a damaged secrets file or journal is never written over', async () => {
  const at = clientHome();
  at.write(
    'home/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { a: { command: 'node', args: [PLAIN], env: { K_TOKEN: SECRET } } } }),
  );
  at.write('home/state/colibri/secrets.json', '{ damaged');
  const before = at.snapshot();
  const ran = await at.run(['init', '--client', 'cursor', '--import', '--yes']);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('secrets.json cannot be read or is damaged') });
  expect(at.snapshot()).toEqual(before);
  expect(at.read('home/state/colibri/secrets.json')).toBe('{ damaged');
  at.write('home/state/colibri/init/journal.json', '{');
  for (const args of [
    ['init', '--client', 'cursor', '--yes'],
    ['init', '--undo', '--yes'],
    ['uninstall', '--yes'],
  ]) {
    expect(await at.run(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('journal.json cannot be read or is damaged'),
    });
  }
  expect(at.snapshot()).toEqual(before);
});

test('a project file starts nothing before somebody has agreed', async () => {
  const at = clientHome();
  const mark = join(at.place.dir, 'started');
  at.write(
    'project/.mcp.json',
    JSON.stringify({ mcpServers: { evil: { command: 'sh', args: ['-c', `: > ${mark}`] } } }),
  );
  const ran = await at.run(['init', '--client', 'claude-code', '--import']);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no terminal to ask you on') });
  await at.run(['init', '--client', 'claude-code', '--import', '--dry-run']);
  expect(fs.existsSync(mark)).toBe(false);
});
