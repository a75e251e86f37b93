#!/usr/bin/env node
// Claude Code's `mcp add-json` and `mcp remove`, as far as init uses them: the file is rewritten as a whole, a name that is there is
// refused. Notes its arguments in FAKE_LOG. FAKE_CLAUDE=fails|lies|hangs|waits makes it misbehave at `add-json`;
// `waits` fails once the file FAKE_GO is there.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const args = process.argv.slice(2);
appendFileSync(
  process.env.FAKE_LOG,
  `${JSON.stringify({ program: 'claude', args, cwd: process.cwd(), pid: process.pid })}\n`,
);
const [, verb, , scope, name, json] = args;
const how = verb === 'add-json' ? process.env.FAKE_CLAUDE : undefined;
const fail = (text) => {
  process.stderr.write(`${text}\n`);
  process.exit(1);
};
if (how === 'fails') fail('no network');
if (how === 'lies') process.exit(0);
while (how === 'waits' && !existsSync(process.env.FAKE_GO)) await new Promise((resolve) => setTimeout(resolve, 20));
if (how === 'waits') fail('told so');
if (how === 'hangs') await new Promise((resolve) => setTimeout(resolve, 600_000));

const file = join(process.env.CLAUDE_CONFIG_DIR || process.env.HOME, '.claude.json');
const state = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
state.numStartups = (state.numStartups ?? 0) + 1;
state.projects ??= {};
state.projects[process.cwd()] ??= {};
const owner = scope === 'local' ? state.projects[process.cwd()] : state;
owner.mcpServers ??= {};
const servers = owner.mcpServers;
if (verb === 'add-json') {
  if (servers[name]) fail(`MCP server ${name} already exists in ${scope} config`);
  servers[name] = JSON.parse(json);
} else if (verb === 'remove') {
  if (!servers[name]) fail(`No MCP server named ${name}`);
  delete servers[name];
} else fail('usage');
writeFileSync(file, JSON.stringify(state, undefined, 2));
