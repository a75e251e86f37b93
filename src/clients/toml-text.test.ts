import { describe, expect, test } from 'vitest';
import { EditError } from '../files/json-edit.js';
import { readToml, setTable, tomlTable } from './toml-text.js';

const KEYS = ['mcp_servers', 'colibri'];
const ENTRY = { command: '/usr/bin/node', args: ['/c/main.js', 'serve'], env: { A: 'b "c"' } };

const FILE = `# my settings
model = "gpt" # the model
notice = """
[mcp_servers.colibri]
not a table
"""
list = [
  # inside
  "[mcp_servers.colibri]", '# no comment',
]

[mcp_servers.search] # finds things
command = "npx"
args = ["-y", "x"]

[mcp_servers.search.env]
KEY = "v"

# about profiles
[profiles."a.b"]
model = 'x'
`;

describe('a table', () => {
  const added = setTable(FILE, KEYS, ENTRY);

  test('is added at the end, every other byte stays', () => {
    expect(added).toBe(`${FILE}\n${tomlTable(KEYS, ENTRY)}`);
    expect(readToml(added)).toMatchObject({ mcp_servers: { colibri: ENTRY, search: { command: 'npx' } } });
  });

  test('is gone again', () => {
    expect(setTable(added, KEYS, undefined)).toBe(FILE);
    expect(setTable(FILE, KEYS, undefined)).toBe(FILE);
  });

  test('is replaced in its place', () => {
    const more = `${added}\n[last]\nx = 1\n`;
    const replaced = setTable(more, KEYS, { command: 'other' });
    expect(replaced).toBe(`${FILE}\n${tomlTable(KEYS, { command: 'other' })}\n[last]\nx = 1\n`);
  });

  test('is taken out with the tables below it; the comment of the next one stays', () => {
    const without = setTable(FILE, ['mcp_servers', 'search'], undefined);
    expect(without).toContain(`]\n\n# about profiles\n[profiles."a.b"]`);
    expect(without).not.toContain('search');
    expect(setTable(without, ['mcp_servers', 'search'], { command: 'npx' })).toContain('[mcp_servers.search]');
  });

  test('keeps CRLF, a byte order mark, and a last line without an end', () => {
    const windows = `\uFEFFmodel = "x"\r\n[a]\r\nb = 1`;
    const edited = setTable(windows, KEYS, ENTRY);
    expect(edited.startsWith(`${windows}\r\n\r\n[mcp_servers.colibri]\r\ncommand = `)).toBe(true);
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test.each([undefined, '', '\n', '# nothing\n'])('is written into %j', (text) => {
    expect(readToml(setTable(text, KEYS, ENTRY))).toEqual({ mcp_servers: { colibri: ENTRY } });
  });

  test('with a name that needs quotes', () => {
    const text = setTable('', ['mcp_servers', 'a "b".c'], { x: ['\u007f', 1, true, { y: 'z' }] });
    expect(readToml(text)).toEqual({ mcp_servers: { 'a "b".c': { x: ['\u007f', 1, true, { y: 'z' }] } } });
    expect(setTable(text, ['mcp_servers', 'a "b".c'], undefined)).toBe('');
  });
});

test.each([
  'mcp_servers = { colibri = { command = "x" } }\n',
  'mcp_servers.colibri.command = "x"\n',
  '[mcp_servers]\ncolibri.command = "x"\n',
  '[mcp_servers]\ncolibri = { command = "x" }\n',
  'model = \n',
])('nothing is done to %j', (text) => {
  expect(() => setTable(text, KEYS, { command: 'y' })).toThrow(EditError);
  expect(() => setTable(text, KEYS, undefined)).toThrow(EditError);
});

test('the place of an error is named, what stands there is not', () => {
  expect(() => readToml('a = 1\nkey = "sk-secret\n')).toThrow(/line 2/);
  expect(() => readToml('a = 1\nkey = "sk-secret\n')).not.toThrow(/sk-secret/);
});
