import { expect, it } from 'vitest';
import { parseSwitchboard } from './config.js';
import { problemText } from './problem.js';

const parse = (routes: unknown) =>
  parseSwitchboard(
    JSON.stringify({
      mcpServers: { a: { command: 'x' }, 'a/b': { command: 'x' }, off: { command: 'x', disabled: true } },
      routes,
    }),
    { file: 'f', env: {}, configDir: '/c' },
  );
const lines = (problems: Parameters<typeof problemText>[0][]) =>
  problems.map((one) => problemText(one).replace(/^\S+ /, ''));

it('reads both forms, in order', () => {
  const { routes, errors, warnings } = parse({
    'search:internet': ['a/web', { server: 'a', tool: 'find', arguments: { q: '$query' }, fallbackOnError: true }],
  });
  expect([errors, warnings]).toEqual([[], []]);
  expect(routes).toEqual([
    {
      name: 'search:internet',
      providers: [
        { server: 'a', tool: 'web', arguments: null, fallbackOnError: null },
        { server: 'a', tool: 'find', arguments: { q: '$query' }, fallbackOnError: true },
      ],
    },
  ]);
});

it('the string form is split after the longest server name', () => {
  const { routes } = parse({ r: ['a/b/c', 'a/c/d', 'off/x'] });
  expect(routes[0]?.providers.map(({ server, tool }) => [server, tool])).toEqual([
    ['a/b', 'c'],
    ['a', 'c/d'],
    ['off', 'x'],
  ]);
});

it('a server that is not there is a warning', () => {
  const { warnings, routes } = parse({ r: ['gone/x'] });
  expect(lines([...warnings])).toEqual(['routes.r[0]: there is no server "gone"']);
  expect(routes[0]?.providers).toHaveLength(1);
});

it.each([
  [[], 'routes: must be an object'],
  [{ r: [] }, 'routes.r: must be a list of at least one provider'],
  [{ r: 'a/x' }, 'routes.r: must be a list of at least one provider'],
  [{ r: ['a'] }, 'routes.r[0]: must be "server/tool"'],
  [{ r: [7] }, 'routes.r[0]: must be "server/tool" or an object'],
  [{ r: [{ server: 'a' }] }, 'routes.r[0]: needs "server" and "tool"'],
  [
    { r: [{ server: 'a', tool: 't', arguments: { q: '$' } }] },
    'routes.r[0].arguments.q: "$" does not name an argument; write "$$" for the text "$"',
  ],
  [
    { r: [{ server: 'a', tool: 't', arguments: { q: { from: 7 } } }] },
    'routes.r[0].arguments.q: "from" must name an argument',
  ],
  [{ r: Array(17).fill('a/x') }, 'routes.r: holds more than 16 providers'],
  [
    { r: [`a/${'x'.repeat(129)}`] },
    "routes.r[0]: a tool's name has 1–128 characters, none of them a control character",
  ],
  [{ r: ['a/x\ny'] }, "routes.r[0]: a tool's name has 1–128 characters, none of them a control character"],
  [
    Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`r${at}`, ['a/x']])),
    'routes: holds more than 256 routes',
  ],
  [{ 'a b': ['a/x'] }, 'routes["a b"]: a route\'s name has 1–64 letters, digits, "_", "-" or ":"'],
])('%j is an error', (routes, message) => {
  expect(lines([...parse(routes).errors])).toEqual([message]);
});
