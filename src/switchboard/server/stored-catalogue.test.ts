import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../proof/canonical-json.js';
import { parseSwitchboard, type ServerConfig } from '../config/config.js';
import type { DeclaredTool } from '../link/link.js';
import { StoredCatalogue } from './stored-catalogue.js';

const A: DeclaredTool = { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const B: DeclaredTool = { name: 'b', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } };

const configOf = (more: object = {}): ServerConfig => {
  const text = JSON.stringify({ mcpServers: { s: { command: 'x', ...more } } });
  const [config] = parseSwitchboard(text, { file: 'f', env: {}, configDir: '/' }).servers;
  if (config === undefined) throw new Error('no server');
  return config;
};

describe('a change', () => {
  it.each([
    ['came', [A, B, { name: 'c' }]],
    ['went', [A]],
    ['became another', [{ ...A, title: 'new' }, B]],
  ])('is what %s', (_how, tools) => {
    const catalogue = new StoredCatalogue([A, B]);
    expect(catalogue.accept(tools)).toBe(true);
    expect(catalogue.digest).toBe(new StoredCatalogue(tools).digest);
  });

  it('is none when only the order is another', () => {
    expect(new StoredCatalogue([A, B]).accept([B, A])).toBe(false);
  });

  it('is the first reading, even an empty one', () => {
    const catalogue = new StoredCatalogue(undefined);
    expect(catalogue.digest).toBeNull();
    expect(catalogue.accept([])).toBe(true);
    expect(catalogue.accept([])).toBe(false);
  });

  it('has the digest of the sorted definitions', () => {
    const digest = createHash('sha256')
      .update(canonicalJson([A, B]))
      .digest('hex');
    expect(new StoredCatalogue([B, A]).digest).toBe(digest);
  });
});

describe('what may be listed', () => {
  it('is without tools whose arguments cannot be sent as the headers that they want, if the server is behind a URL', () => {
    const tool = (name: string, type: string) => ({
      name,
      inputSchema: { type: 'object', properties: { a: { type, 'x-mcp-header': 'A' } } },
    });
    const catalogue = new StoredCatalogue([tool('good', 'string'), tool('bad', 'number'), null as never]);
    const safe = catalogue.safe({ ...configOf(), connection: { kind: 'http', url: 'http://127.0.0.1', headers: {} } });
    expect([...safe.tools.keys()]).toEqual(['good']);
    expect(safe.leftOut).toContain(
      'bad: left out, its parameter "a" has an x-mcp-header and is not of type string, integer or boolean',
    );
    expect(safe.notes).toEqual(safe.leftOut);
    expect([...catalogue.safe(configOf()).tools.keys()]).toEqual(['good', 'bad']);
  });

  it('is what the configuration lets through and what can be made safe', () => {
    const broken = { name: 'broken', inputSchema: { type: 'string' } };
    const half = { name: 'half', description: '\ud800' };
    const bare = { name: 'bare' };
    const nameless = { title: 'x' } as unknown as DeclaredTool;
    const catalogue = new StoredCatalogue([A, B, broken, half, bare, nameless]);
    const { tools, notes } = catalogue.safe(configOf({ tools: { deny: ['b'] } }));
    expect([...tools.keys()]).toEqual(['a', 'bare']);
    expect(notes).toEqual([
      'broken: left out, its root is not of type "object"',
      'half: left out, its definition holds a value that JSON cannot represent',
      'bare: it had no schema',
      '?: left out, it has no name',
    ]);
  });

  it('survives definitions too deep to be written', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const catalogue = new StoredCatalogue([A, { name: 'deep', inputSchema: deep }]);
    expect([...catalogue.safe(configOf()).tools.keys()]).toEqual(['a']);
  });

  it('knows what may be repeated', () => {
    const safety = (tool: string, more: object = {}) =>
      new StoredCatalogue([A, B, { name: 'c' }]).safetyOf(tool, configOf(more));
    expect(safety('a')).toEqual({ readOnly: true, idempotent: true });
    expect(safety('b')).toEqual({ readOnly: false, idempotent: true });
    expect(safety('c')).toEqual({ readOnly: false, idempotent: false });
    expect(safety('nowhere')).toEqual({ readOnly: false, idempotent: false });
    expect(safety('a', { trustHints: false })).toEqual({ readOnly: false, idempotent: false });
    expect(safety('c', { tools: { idempotent: ['*'] } })).toEqual({ readOnly: false, idempotent: true });
  });
});
