import { describe, expect, test } from 'vitest';
import { parseSwitchboard } from './config.js';
import type { FileOrigin } from './place.js';

const parse = (value: unknown, origin: FileOrigin) =>
  parseSwitchboard(JSON.stringify(value), { file: 'f', origin, env: {}, configDir: '/' });

describe('a check in a project', () => {
  test.each([1_000, 59_999, 60_000, 90_000])('every %i ms runs at most once a minute', (intervalMs) => {
    const value = { mcpServers: { a: { command: 'x', health: { capability: { tool: 'look', intervalMs } } } } };
    const inProject = parse(value, 'project');
    expect(inProject.servers[0]?.health.capability?.intervalMs).toBe(Math.max(60_000, intervalMs));
    expect(inProject.warnings).toHaveLength(intervalMs < 60_000 ? 1 : 0);
    expect(parse(value, 'user').servers[0]?.health.capability?.intervalMs).toBe(intervalMs);
  });

  test('nor more often by a default', () => {
    const capability = { tool: 'look', intervalMs: 1_000 };
    const config = parse({ mcpServers: { a: { command: 'x' } }, defaults: { health: { capability } } }, 'project');
    expect(config.servers[0]?.health.capability?.intervalMs).toBe(60_000);
  });
});
