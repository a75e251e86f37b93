import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EditError, readMembers, removeMember, setMember } from './json-edit.js';
import { plainValue, readJson } from './json-text.js';

const ENTRY = { command: 'node', args: ['serve'] };
const parsed = (text: string): unknown => plainValue(readJson(text));

/** The same file as people have it: line ends, indents, a byte order mark, comments, trailing commas. */
const LAYOUTS: Readonly<Record<string, string>> = {
  spaces: '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  },\n  "other": 1\n}\n',
  'four spaces':
    '{\n    "mcpServers": {\n        "a": {\n            "command": "x"\n        }\n    },\n    "other": 1\n}\n',
  tabs: '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t},\n\t"other": 1\n}',
  CRLF: '{\r\n  "mcpServers": {\r\n    "a": { "command": "x" } // mine\r\n  },\r\n  "other": 1\r\n}\r\n',
  BOM: '\uFEFF{\n  "mcpServers": {\n    "a": { "command": "x" }\n  },\n  "other": 1\n}\n',
  comments:
    '// top\n{\n  /* all */ "mcpServers": {\n    // a\n    "a": { "command": "x" } /* b */ // c\n    // end\n  }, "other": 1 }\n',
  'trailing commas': '{\n  "mcpServers": {\n    "a": { "command": "x", },\n  },\n  "other": 1,\n}\n',
};

describe.each(Object.entries(LAYOUTS))('a file with %s', (_, text) => {
  const added = setMember(text, ['mcpServers', 'colibri'], ENTRY);

  test('gets a member, and nothing else', () => {
    expect(parsed(added)).toEqual({ mcpServers: { a: { command: 'x' }, colibri: ENTRY }, other: 1 });
    const lines = text.split('\n');
    const kept = added.split('\n').filter((line) => lines.includes(line));
    expect(kept.length).toBeGreaterThanOrEqual(lines.length - 1); // the last member may get its comma
    expect(added.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
  });

  test('keeps its line ends', () => {
    const ends = (one: string) => new Set(one.match(/\r?\n/g));
    expect(ends(added)).toEqual(ends(text));
  });

  test('is the same again when the member is taken out', () => {
    expect(removeMember(added, ['mcpServers', 'colibri'])).toBe(text);
  });

  test('keeps a member that stands beside one that is replaced', () => {
    const replaced = setMember(added, ['mcpServers', 'colibri'], { command: 'other' });
    expect(parsed(replaced)).toEqual({ mcpServers: { a: { command: 'x' }, colibri: { command: 'other' } }, other: 1 });
    expect(setMember(replaced, ['mcpServers', 'colibri'], ENTRY)).toBe(added);
  });
});

test('the indent is that of the file', () => {
  expect(setMember(LAYOUTS.tabs, ['mcpServers', 'colibri'], { command: 'n' })).toContain(
    '\n\t\t},\n\t\t"colibri": {\n\t\t\t"command": "n"\n\t\t}\n\t},',
  );
  expect(setMember(LAYOUTS['four spaces'], ['mcpServers', 'colibri'], { command: 'n' })).toContain(
    '\n        "colibri": {\n            "command": "n"\n        }\n    },',
  );
});

test.each([undefined, '', ' \n', '{}', '{\n}\n', '\uFEFF', '{ /* nothing */ }', '{\n  // nothing\n}\n'])(
  'objects on the way are made: %j',
  (text) => {
    const made = setMember(text, ['projects', '/p', 'mcpServers', 'colibri'], ENTRY);
    expect(parsed(made)).toEqual({ projects: { '/p': { mcpServers: { colibri: ENTRY } } } });
    expect(made.includes('nothing')).toBe(text?.includes('nothing') ?? false);
  },
);

test('on one line', () => {
  expect(setMember('{"mcpServers":{"a":{}}}', ['mcpServers', 'b'], 1)).toBe('{"mcpServers":{"a":{},\n  "b": 1}}');
  expect(removeMember('{"m": {"a": 1, "b": 2}}', ['m', 'a'])).toBe('{"m": { "b": 2}}');
  expect(removeMember('{"m": {"a": 1, "b": 2}}', ['m', 'b'])).toBe('{"m": {"a": 1 }}');
});

test('comments beside a member that goes stay', () => {
  const text = '{\n  "a": 1, // about a\n  // about b\n  "b": 2 // b\n  // end\n}\n';
  expect(removeMember(text, ['b'])).toBe('{\n  "a": 1 // about a\n  // about b\n  // end\n}\n');
  expect(removeMember(text, ['a'])).toBe('{\n  // about b\n  "b": 2 // b\n  // end\n}\n');
});

test('a key __proto__ is a key', () => {
  const added = setMember('{}', ['__proto__', 'x'], 1);
  expect(added).toBe('{\n  "__proto__": {\n    "x": 1\n  }\n}');
  expect(removeMember(added, ['__proto__', 'x'])).toBe('{\n  "__proto__": {\n  }\n}');
  expect(({} as { x?: number }).x).toBeUndefined();
});

test('what is there is read', () => {
  expect(readMembers(LAYOUTS.comments ?? '', ['mcpServers'])).toEqual({ a: { command: 'x' } });
  expect(readMembers('{}', ['mcpServers'])).toEqual({});
  expect(readMembers(' ', ['mcpServers'])).toEqual({});
});

test('what is not there is not taken out', () => {
  expect(removeMember('{}', ['m', 'a'])).toBe('{}');
  expect(removeMember('{"m":{}}', ['m', 'a'])).toBe('{"m":{}}');
  expect(removeMember('', ['m', 'a'])).toBe('');
});

test.each(['[]', '{', '{"m": 1}', '{"m": null}', '{"m": {}, "m": {}}', '{"m": {"a": 1, "a": 2}}', 'nonsense'])(
  'nothing is done to %j',
  (text) => {
    expect(() => setMember(text, ['m', 'a'], 1)).toThrow(EditError);
  },
);

test('the place of an error is named', () => {
  expect(() => setMember('{\n  "a": ,\n}', ['m', 'a'], 1)).toThrow(/line 2, column 8/);
});

test('any JSON value survives an added and removed member', () => {
  const layouts = fc.constantFrom(0, 2, '\t');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), layouts, (value, key, space) => {
      const text = JSON.stringify({ ...value, m: {} }, undefined, space);
      const added = setMember(text, ['m', key], ENTRY);
      expect(parsed(added)).toEqual({ ...JSON.parse(text), m: { [key]: ENTRY } });
      expect(parsed(removeMember(added, ['m', key]))).toEqual(JSON.parse(text));
    }),
  );
});
