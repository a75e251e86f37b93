// The list of MCP clients that `colibri init` knows.
import { claudeCode } from './claude-code.js';
import { claudeDesktop } from './claude-desktop.js';
import type { Client, ClientId } from './client.js';
import { codex } from './codex.js';
import { cursor } from './cursor.js';
import { vscode } from './vscode.js';

export const CLIENTS: Readonly<Record<ClientId, Client>> = {
  'claude-code': claudeCode,
  cursor,
  vscode,
  codex,
  'claude-desktop': claudeDesktop,
};
