// Claude Code: a native program that npm has as a package for each platform.
import { join } from 'node:path';

const binary = (dir) =>
  join(dir, 'node_modules', '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude');

const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
};

/** It would begin before its servers are there: a busy machine would decide what is found. The newer version knows the first name. */
const PATIENT = { CLAUDE_CODE_MCP_STARTUP_WAIT_MS: '20000', MCP_CONNECTION_NONBLOCKING: '0' };

/** Colibri's entry as `init` writes it; with a tap between, for this run alone. */
const enter = async (place, tapped) => {
  if (tapped === undefined) {
    await place.init('claude-code');
    return [];
  }
  return ['--strict-mcp-config', '--mcp-config', JSON.stringify({ mcpServers: { colibri: tapped } })];
};

const prepare = async ({ place, url, dir, prompt, tapped }) => {
  const entry = await enter(place, tapped);
  return {
    command: binary(dir),
    args: ['-p', prompt, '--allowedTools', 'mcp__colibri', '--output-format', 'json', ...entry],
    env: { ...QUIET, ...PATIENT, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' },
  };
};

export const claudeCode = {
  id: 'claude-code',
  title: 'Claude Code',
  packages: ['@anthropic-ai/claude-code@2.1.326'],
  isInGate: true,
  opensWith: 'server/discover',
  prepare,
};

/** An older version, which opens with `initialize`. */
export const claudeCodeBefore = {
  id: 'claude-code-237',
  title: 'Claude Code, older',
  packages: ['@anthropic-ai/claude-code@2.1.237'],
  opensWith: 'initialize',
  prepare,
};
