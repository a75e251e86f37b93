import { describe, expect, test } from 'vitest';
import { addRoute, addServer, EditError, removeRoute, removeServer } from './edit.js';

const FILE = `// mine
{
  "mcpServers": {
    // searches
    "one": { "command": "a", "args": ["//", "}"] }, // the first
    "two": {
      "url": "http://x/" /* here */
    } // the last
  },
  "routes": {},
}
`;

describe('adding', () => {
  test('keeps comments and the way the file is written', () => {
    expect(addServer(FILE, 'three', { command: 'c' })).toBe(
      FILE.replace(
        `    } // the last
`,
        `    }, // the last
    "three": {
      "command": "c"
    }
`,
      ),
    );
  });

  test('behind a trailing comma', () => {
    const text = '{"mcpServers": {\n  "a": {},\n}}';
    expect(addServer(text, 'b', {})).toBe('{"mcpServers": {\n  "a": {},\n  "b": {},\n}}');
  });

  test.each([undefined, '', '{}', '{ "routes": {} }', '{"mcpServers":{}}', '{"mcpServers":{/* none */}}'])(
    'to %j',
    (text) => {
      expect(JSON.parse(addServer(text, 'a', { command: 'x' }).replace('/* none */', '')).mcpServers).toEqual({
        a: { command: 'x' },
      });
    },
  );

  test('not twice, not to what is no file of ours', () => {
    expect(() => addServer(FILE, 'one', {})).toThrow(EditError);
    expect(() => addServer('[]', 'a', {})).toThrow(EditError);
    expect(() => addServer('{', 'a', {})).toThrow(EditError);
    expect(() => addServer('{"mcpServers": 1}', 'a', {})).toThrow(EditError);
  });
});

describe('removing', () => {
  test('the first, with the comment on its line', () => {
    expect(removeServer(FILE, 'one')).not.toContain('the first');
    expect(removeServer(FILE, 'one')).toContain('// searches');
  });

  test('the last, with the comma before it', () => {
    const text = removeServer(FILE, 'two');
    expect(text).toContain('"args": ["//", "}"] } // the first\n  },');
  });

  test('what was added is gone again', () => {
    expect(removeServer(addServer(FILE, 'x', { command: 'y' }), 'x')).toBe(FILE);
    expect(removeServer('{"mcpServers":{"a":{}}}', 'a')).toBe('{"mcpServers":{}}');
  });

  test('only what is there', () => {
    expect(() => removeServer(FILE, 'three')).toThrow(EditError);
  });
});

describe('routes', () => {
  test('are added beside what is there, and removed again', () => {
    const added = addRoute(FILE, 'web:search', ['one/find', { server: 'two', tool: 'find', fallbackOnError: true }]);
    expect(added).toContain('// searches');
    expect(added).toContain('"web:search": [');
    expect(removeRoute(added, 'web:search').replace(/\s/g, '')).toBe(FILE.replace(/\s/g, ''));
    expect(JSON.parse(addRoute(undefined, 'a', ['b/c']))).toEqual({ routes: { a: ['b/c'] } });
  });

  test('that are there already, or are not there, are refused with the nearest name', () => {
    const added = addRoute('{}', 'web:search', ['a/b']);
    expect(() => addRoute(added, 'web:search', ['a/b'])).toThrow('there already is a route "web:search"');
    expect(() => removeRoute(added, 'web:serch')).toThrow('there is no route "web:serch"; the nearest is "web:search"');
    expect(() => removeServer(FILE, 'onee')).toThrow('there is no server "onee"; the nearest is "one"');
  });
});
