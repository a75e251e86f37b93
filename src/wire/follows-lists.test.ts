import { expect, it } from 'vitest';
import { followsLists } from './follows-lists.js';

it.each([
  ['claude-code', true],
  ['Visual Studio Code', true],
  ['Visual Studio Code - Insiders', true],
  ['gemini-cli-mcp-client-colibri', true],
  ['opencode', true],
  ['codex-mcp-client', false],
  ['claude-ai', false],
  ['my-claude-code', false],
  ['', false],
])('%s: %s', (name, follows) => {
  expect(followsLists(name)).toBe(follows);
});
