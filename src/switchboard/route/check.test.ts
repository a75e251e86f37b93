import { describe, expect, it } from 'vitest';
import { parseSwitchboard } from '../config/config.js';
import { checkRoute, type KnownServer, type KnownTool } from './check.js';
import { listedRoute } from './schema.js';

const STRING = { type: 'string' };
const schema = (properties: object, required: readonly string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  ...more,
});
const tool = (inputSchema: object, readOnly = true): KnownTool => ({
  definition: { name: 'x', description: 'Finds things.', inputSchema },
  readOnly,
});
const server = (tools: Record<string, KnownTool> | null, more: Partial<KnownServer> = {}): KnownServer => ({
  isDisabled: false,
  offers: () => true,
  tools: tools && new Map(Object.entries(tools)),
  ...more,
});

const brave = server({
  web_search: tool(schema({ query: { ...STRING, description: 'what' }, count: { type: 'number' } }, ['query'])),
  write: tool(schema({ query: STRING }), false),
});
const google = server({ search: tool(schema({ q: STRING, hl: STRING }, ['q'], { additionalProperties: false })) });
const unread = server(null);
const SERVERS = { brave, google, unread, off: server(null, { isDisabled: true }) };

const routeOf = (providers: readonly unknown[]) => {
  const mcpServers = Object.fromEntries(Object.keys(SERVERS).map((name) => [name, { command: 'x' }]));
  const text = JSON.stringify({ mcpServers, routes: { 'search:internet': providers } });
  const { routes, errors } = parseSwitchboard(text, { file: 'f', env: {}, configDir: '/' });
  if (routes[0] === undefined || errors.length > 0) throw new Error(JSON.stringify(errors));
  return routes[0];
};
const check = (providers: readonly unknown[], servers: Record<string, KnownServer> = SERVERS) =>
  checkRoute(routeOf(providers), new Map(Object.entries(servers)));
const mapped = (to: string, args: object, more: object = {}) => {
  const [name, called] = to.split('/');
  return { server: name, tool: called, arguments: args, ...more };
};

describe('a route is off', () => {
  it.each([
    [['bing/search'], 'there is no server "bing"'],
    [['brav/web_search'], 'there is no server "brav" (did you mean "brave"?)'],
    [['brave/web_serch'], '"brave" has no tool "web_serch" (did you mean "web_search"?)'],
    [['brave/web_search', 'google/nothing'], '"google" has no tool "nothing"'],
    [['off/x'], 'all of its servers are disabled'],
    [[mapped('google/search', { query: '$query' })], '"search" of "google" takes no argument "query"'],
    [[mapped('google/search', { hl: '$lang' })], '"search" of "google" needs "q", which its mapping never gives'],
    [
      ['brave/web_search', mapped('google/search', { q: '$qery' })],
      'the mapping of "search" of "google" uses "qery", which callers of the route cannot give (did you mean "query"?)',
    ],
    [
      ['brave/web_search', 'google/search'],
      '"search" of "google" needs "q", which callers of the route cannot give; it needs a mapping',
    ],
    [
      ['brave/web_search', 'strict/none'],
      '"none" of "strict" takes no argument "query", which callers of the route must give; it needs a mapping',
    ],
  ])('%j', (providers, fault) => {
    const servers = { ...SERVERS, strict: server({ none: tool(schema({ a: STRING })) }) };
    expect(check(providers, servers).fault).toBe(fault);
  });

  it('where the file does not let its tool through', () => {
    const held = server({ web_search: tool({}) }, { offers: (name) => name !== 'web_search' });
    expect(check(['brave/web_search'], { brave: held }).fault).toMatch(/does not offer "web_search" of "brave"/);
  });
});

describe('a route is on', () => {
  it.each([
    ['one provider', ['brave/web_search']],
    ['a mapping that fits', ['brave/web_search', mapped('google/search', { q: '$query', hl: '$$en' })]],
    ['tools nobody has read yet', ['unread/anything', 'brave/web_search']],
    ['a server that is disabled beside another', ['off/anything', 'brave/web_search']],
    ['a schema that takes any name', [mapped('open/x', { what: '$a', ever: '$b' })]],
    ['a schema that says more elsewhere', [mapped('composed/x', { what: '$a' })]],
  ])('%s', (_, providers) => {
    const servers = {
      ...SERVERS,
      open: server({ x: tool(schema({ a: STRING }, [], { additionalProperties: true })) }),
      composed: server({ x: tool(schema({ a: STRING }, [], { allOf: [{}] })) }),
    };
    expect(check(providers, servers).fault).toBeNull();
  });

  it('and says what does nothing', () => {
    const { fault, notes } = check([mapped('brave/write', { query: '$q' }, { fallbackOnError: true })]);
    expect(fault).toBeNull();
    expect(notes).toEqual(['fallbackOnError has no effect for "write" of "brave": it is not known to be read-only']);
  });
});

describe('what callers are asked for', () => {
  it('is the schema of the first provider without a mapping', () => {
    const first = check([mapped('google/search', { q: '$query' }), 'brave/web_search']);
    expect(first).toMatchObject({ source: 1, schema: brave.tools?.get('web_search')?.definition.inputSchema });
  });

  it('while that one is unread, of the next that is known', () => {
    expect(check(['unread/x', 'brave/web_search']).source).toBe(1);
    expect(check(['unread/x']).schema).toEqual({ type: 'object' });
  });

  it('else the names that mappings use, required only where every provider needs them', () => {
    const providers = [
      mapped('google/search', { q: '$query', hl: '$lang' }),
      mapped('brave/web_search', { query: '$query', count: { from: 'count', default: 3 } }),
    ];
    expect(check(providers)).toMatchObject({ fault: null, source: null });
    expect(check(providers).schema).toEqual({
      type: 'object',
      properties: { query: STRING, lang: STRING, count: { type: 'number' } },
      required: ['query'],
      additionalProperties: false,
    });
    const defaulted = [mapped('google/search', { q: { from: 'query', default: 'x' } }), providers[1]];
    expect(check(defaulted).schema).not.toHaveProperty('required');
    const nested = [mapped('google/search', { q: ['$query'] }), providers[1]];
    expect(check(nested).schema).not.toHaveProperty('required');
  });

  it('a property that refers elsewhere in its schema is not carried over', () => {
    const inner = { properties: { a: { items: { $ref: '#/$defs/x' } } } };
    const refers = server({ x: tool({ type: 'object', ...inner, $defs: { x: {} } }) });
    expect(check([mapped('refers/x', { a: '$b' })], { refers }).schema).toMatchObject({ properties: { b: {} } });
  });
});

describe('as it is listed', () => {
  const list = (providers: readonly unknown[]) => {
    const servers = new Map(Object.entries(SERVERS));
    const route = routeOf(providers);
    return listedRoute(route, { ...checkRoute(route, servers), name: 'search__internet', servers });
  };

  it('it says what it is, in order, and has no output schema', () => {
    expect(list(['brave/web_search', mapped('google/search', { q: '$query' })])).toEqual({
      name: 'search__internet',
      description:
        'Route search:internet: served by the first of its providers that is healthy: web_search of brave, then search of google.\n\nFinds things.',
      inputSchema: brave.tools?.get('web_search')?.definition.inputSchema,
      annotations: { readOnlyHint: true, openWorldHint: true },
    });
  });

  it.each([
    ['one of them changes something', ['brave/web_search', mapped('brave/write', { query: '$query' })]],
    ['one of them is unread', ['brave/web_search', 'unread/x']],
  ])('it is not read-only where %s', (_, providers) => {
    expect(list(providers)).toMatchObject({ annotations: { readOnlyHint: false } });
  });
});
