#!/usr/bin/env node
// Codex's `mcp add` and `mcp remove`, as far as init uses them. Notes its arguments in FAKE_LOG.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';

const args = process.argv.slice(2);
appendFileSync(
  process.env.FAKE_LOG,
  `${JSON.stringify({ program: 'codex', args, cwd: process.cwd(), pid: process.pid })}\n`,
);
const file = join(process.env.CODEX_HOME || join(process.env.HOME, '.codex'), 'config.toml');
const config = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
config.mcp_servers ??= {};
const servers = config.mcp_servers;
const [, verb, name] = args;
if (verb === 'add') {
  const dashes = args.indexOf('--');
  const env = Object.fromEntries(
    args.slice(3, dashes).flatMap((arg, at, all) => (all[at - 1] === '--env' ? [arg.split(/=(.*)/s).slice(0, 2)] : [])),
  );
  const [command, ...rest] = args.slice(dashes + 1);
  servers[name] = { command, args: rest, ...(Object.keys(env).length > 0 && { env }) };
} else delete servers[name];
writeFileSync(file, stringify(config));
