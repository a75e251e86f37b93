// The harness itself: the model's script, how results are judged, and the table in docs/clients.md.
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';

const at = (file: string): string => new URL(file, import.meta.url).href;
const { offered, startModel } = await import(at('./model/stub.mjs'));
const { cellsOf, failuresOf, HEAD } = await import(at('./report.mjs'));
const { rowsIn, withTable } = await import(at('./document.mjs'));
const { PROGRAMS } = await import(at('./programs/table.mjs'));
const { CHECKS } = await import(at('./scenarios.mjs'));

const SCRIPT = [[{ tool: 'task_create', args: { title: 'one' } }], [{ tool: 'task_get', args: { task_id: 'T-0001' } }]];

const model = async () => {
  const started = await startModel(SCRIPT);
  onTestFinished(() => started.close());
  return started;
};

const post = async (url: string, body: object): Promise<string> => {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return answer.text();
};

describe('a tool is found', () => {
  const found = (names: readonly string[], wanted: string): string | undefined =>
    offered(
      names.map((name) => ({ name })),
      wanted,
    )?.name;

  it('under its own name, or with the name of the server before it', () => {
    expect(found(['task_create', 'mcp__colibri__task_create'], 'task_create')).toBe('task_create');
    expect(found(['mcp__colibri__task_create'], 'task_create')).toBe('mcp__colibri__task_create');
    expect(found(['colibri.task_create'], 'task_create')).toBe('colibri.task_create');
  });

  it('but not as the end of another word', () => {
    expect(found(['subtask_create'], 'task_create')).toBeUndefined();
    expect(found([], 'task_create')).toBeUndefined();
  });
});

const chat = (results: readonly string[], tools = ['task_create', 'task_get']) => ({
  model: 'm',
  tools: tools.map((name) => ({ type: 'function', function: { name, parameters: {} } })),
  messages: [{ role: 'user', content: 'go' }, ...results.map((content) => ({ role: 'tool', content }))],
});

describe('the model', () => {
  it('plays the call that follows the results it is shown, the same one for the same request', async () => {
    const { url, model: played } = await model();
    const named = async (results: readonly string[]) =>
      JSON.parse(await post(`${url}/v1/chat/completions`, chat(results))).choices[0].message.tool_calls?.[0].function
        .name;
    expect(await named([])).toBe('task_create');
    expect(await named([])).toBe('task_create');
    expect(await named(['a'])).toBe('task_get');
    expect(await named(['a', 'b'])).toBeUndefined();
    expect(played.turns.at(-1).results).toEqual([
      { text: 'a', isError: false },
      { text: 'b', isError: false },
    ]);
  });

  it('takes a request without our tools for an aside, and says what is not offered', async () => {
    const { url, model: played } = await model();
    await post(`${url}/v1/chat/completions`, chat([], []));
    await post(`${url}/v1/chat/completions`, chat(['a'], ['task_create']));
    expect(played.turns.map(({ aside }: { aside?: true }) => aside)).toEqual([true, undefined]);
    expect(played.turns[1].turn.missing).toEqual(['task_get']);
  });

  it('reads the flag of an error where the dialect has one', async () => {
    const { url, model: played } = await model();
    const content = [
      { type: 'tool_result', tool_use_id: 'c', is_error: true, content: [{ type: 'text', text: 'no' }] },
    ];
    const tools = [{ name: 'task_create', input_schema: {} }];
    await post(`${url}/v1/messages`, { model: 'm', tools, messages: [{ role: 'user', content }] });
    expect(played.turns[0].results).toMatchObject([{ text: 'no', isError: true }]);
  });

  it('searches first for a tool that is only named, where the program has a search', async () => {
    const { url, model: played } = await model();
    const tools = [{ name: 'ToolSearch' }, { name: 'mcp__colibri__task_get' }];
    const named = { role: 'user', content: 'These exist:\nmcp__colibri__task_create\nmcp__colibri__task_list\n' };
    const next = async (...results: readonly object[]) => {
      const messages = [named, { role: 'user', content: results }];
      const { content } = JSON.parse(await post(`${url}/v1/messages`, { model: 'm', tools, messages }));
      return content[0];
    };
    const search = await next();
    expect(search).toMatchObject({ name: 'ToolSearch', input: { query: 'select:mcp__colibri__task_create' } });
    const found = { type: 'tool_result', tool_use_id: search.id, content: 'found' };
    const call = await next(found);
    expect(call).toMatchObject({ name: 'mcp__colibri__task_create', input: { title: 'one' } });
    expect(await next(found, { type: 'tool_result', tool_use_id: call.id, content: 'made' })).toMatchObject({
      name: 'mcp__colibri__task_get',
    });
    expect(played.turns.at(-1).results).toMatchObject([{ text: 'made' }]);
  });

  it.each([
    ['/v1/chat/completions', { ...chat([]), stream: true }, 'data: [DONE]'],
    ['/v1/messages', { model: 'm', stream: true, tools: [{ name: 'task_create' }], messages: [] }, 'message_stop'],
    [
      '/v1/responses',
      { model: 'm', stream: true, tools: [{ type: 'function', name: 'task_create' }], input: 'go' },
      'response.completed',
    ],
    [
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      { tools: [{ functionDeclarations: [{ name: 'task_create' }] }], contents: [] },
      'functionCall',
    ],
  ])('streams at %s', async (path, body, last) => {
    const { url } = await model();
    const text = await post(`${url}${path}`, body);
    expect(text).toContain('task_create');
    expect(text).toContain(last);
  });

  it('refuses what goes elsewhere, and keeps its address', async () => {
    const { url, model: played } = await model();
    const { request } = await import('node:http');
    const { port } = new URL(url);
    const status = await new Promise((resolve) => {
      request({ host: '127.0.0.1', port, path: 'http://elsewhere.test/x' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end();
    });
    expect(status).toBe(403);
    expect(played.outside).toEqual(['GET http://elsewhere.test/x']);
  });
});

const [first, second] = PROGRAMS;
const row = (title: string, verdicts: object) => ({ title, version: '1.0', date: '2026-11-18', verdicts });
const known = { tools: { ok: true }, instructions: { why: 'x', known: 'it has none' }, call: { why: 'lost' } };

describe('the table', () => {
  it('says yes, no with its reason, FAILED, or nothing', () => {
    const { rows, notes } = cellsOf([row('A', known), { title: 'B', absent: 'not installed' }]);
    expect(rows).toEqual([['A', '1.0', '2026-11-18', 'yes', 'no (1)', 'FAILED', ...HEAD.slice(6).map(() => '–')]]);
    expect(notes).toEqual(['it has none']);
    expect(failuresOf([row('A', known)])).toEqual([{ title: 'A', name: 'call', why: 'lost' }]);
  });

  it('keeps the rows of clients that were not tried, with their notes', () => {
    const empty = 'before\n<!-- generated: clients -->\n<!-- end: clients -->\nafter';
    const once = withTable(empty, [row(first.title, known)]);
    const both = withTable(once, [row(second.title, { instructions: { why: 'x', known: 'another' } })]);
    expect(rowsIn(both).map(([title]: string[]) => title)).toEqual([first.title, second.title]);
    expect(both).toContain('1. it has none\n2. another\n');
    expect(withTable(both, [])).toBe(both);
    expect(() => withTable('nothing', [])).toThrow(/generated: clients/);
  });

  it('in docs/clients.md has rows of clients that are tried only, and a sentence for every column', () => {
    const text = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
    const titles = PROGRAMS.map(({ title }: { title: string }) => title);
    for (const [title] of rowsIn(text)) expect(titles).toContain(title);
    for (const sentence of Object.values(CHECKS)) expect(text).toContain(sentence);
  });
});
