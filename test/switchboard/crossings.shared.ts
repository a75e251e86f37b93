// What crossings.test.ts and crossings.deep.test.ts share: what must cross between a client and a server, for any pair of protocol eras.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { CROSSINGS } from '../../src/switchboard/relay/crossings.js';
import { colibri } from '../support/command-line.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, MAIN, type Message, MODERN, type Place } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

const ERAS = ['legacy', 'modern'] as const;

type Era = (typeof ERAS)[number];

export const CELLS = ERAS.flatMap((client) => ERAS.map((server) => [client, server] as const));

interface Talker {
  readonly client: Client;
  readonly place: Place;
  readonly heard: Message[];
  readonly asked: Message[];
  /** Every message from us, as it came: the SDK's client loses progress that comes together with the result. */
  readonly wire: Message[];
  readonly log: () => string[];
}

/** A client that answers every question, with one server of the given era behind Colibri. */
const talk = async (clientEra: Era, serverEra: Era, more: object = {}): Promise<Talker> => {
  const place = freshPlace();
  const logFile = join(place.dir, 'server.log');
  const entry = fakeServer('crossing', { LOG: logFile });
  writeBoard(place, { far: { ...entry, args: [...(entry.args as string[]), serverEra], ...more } });
  const mode = clientEra === 'modern' ? { pin: MODERN } : 'legacy';
  const client = new Client(
    { name: `client-${clientEra}`, version: '1' },
    {
      versionNegotiation: { mode },
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } },
    },
  );
  const heard: Message[] = [];
  const asked: Message[] = [];
  const wire: Message[] = [];
  client.setRequestHandler('elicitation/create', (request) => {
    asked.push(request);
    return { action: 'accept', content: { answer: 'yes' } };
  });
  client.setRequestHandler('sampling/createMessage', (request) => {
    asked.push(request);
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'said' } };
  });
  client.setRequestHandler('roots/list', (request) => {
    asked.push(request);
    return { roots: [{ uri: 'file:///here', name: 'here' }] };
  });
  for (const method of [
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
  ] as const)
    client.setNotificationHandler(method, (notification) => void heard.push(notification as Message));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'serve'],
    env: place.env,
    cwd: place.dir,
    stderr: 'pipe',
  });
  (transport.stderr as { resume?: () => void } | null)?.resume?.();
  await client.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    wire.push(message as Message);
    onmessage?.(message);
  };
  place.onEnd(() => client.close());
  await eventually('the server is listed', async () =>
    (await client.listTools()).tools.some(({ name }) => name === 'far__elicit'),
  );
  const log = () =>
    fs.existsSync(logFile)
      ? fs
          .readFileSync(logFile, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.replace(/^\d+ /, ''))
      : [];
  return { client, place, heard, asked, wire, log };
};

const textOf = (result: Message): string => result.content[0].text;

const heardOf = (heard: readonly Message[], method: string): Message[] => heard.filter((one) => one.method === method);

/** What crosses between a client and a server, for each pair of eras. */
export const testCrossings = (cells: readonly (readonly [Era, Era])[]): void => {
  describe.each(cells)('a %s client and a %s server', (clientEra, serverEra) => {
    const { input } = CROSSINGS[clientEra][serverEra];

    test(`questions: ${input}`, { timeout: 60_000 }, async () => {
      const { client, place, asked } = await talk(clientEra, serverEra);
      const ask = async (name: string) =>
        JSON.parse(textOf(await client.callTool({ name: `far__${name}`, arguments: { a: 1 } }))) as Message;
      const elicited = await ask('elicit');
      expect(elicited.given).toEqual({ kind: 'elicit', action: 'accept', content: { answer: 'yes' } });
      expect((await ask('sample')).given).toMatchObject({ kind: 'sampling', result: { content: { text: 'said' } } });
      expect((await ask('roots')).given).toEqual({ kind: 'roots', roots: [{ uri: 'file:///here', name: 'here' }] });
      expect(elicited.state).toBe('state of elicit');
      expect(asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage', 'roots/list']);
      await client.close();
      const exits = new Ledger(place.db).records.filter(
        ({ kind, body }) => kind === 'call.exit' && body.tool === 'far__elicit',
      );
      // A client of the new era calls twice: the first call was answered, and not done.
      const codes = exits.map(({ body }) => [body.outcome, body.code]);
      expect(codes).toEqual(
        clientEra === 'modern'
          ? [
              ['ok', 'input_required'],
              ['ok', undefined],
            ]
          : [['ok', undefined]],
      );
      expect((await colibri(place, ['verify'])).code).toBe(0);
    });

    test('progress arrives in order, all of it, before the result', { timeout: 60_000 }, async () => {
      const { client, wire } = await talk(clientEra, serverEra);
      for (let turn = 0; turn < 20; turn++) {
        wire.length = 0;
        await client.callTool({ name: 'far__progress', arguments: {} }, { onprogress: () => {} });
        const seen = wire
          .filter(({ method }) => !/list_changed$/.test(method ?? ''))
          .map(({ method, params }) => (method === undefined ? 'result' : params.progress));
        expect(seen).toEqual([...Array.from({ length: 20 }, (_, n) => n + 1), 'result']);
      }
    });

    test('a cancelled call is cancelled at the server', { timeout: 60_000 }, async () => {
      const { client, log } = await talk(clientEra, serverEra);
      const over = new AbortController();
      const call = client.callTool({ name: 'far__hang', arguments: {} }, { signal: over.signal });
      await eventually('it hangs', () => log().includes('hanging'));
      over.abort();
      await expect(call).rejects.toThrow();
      await eventually('the server knows', () => log().includes('cancelled'));
    });

    test('prompts, completions, resources and templates', { timeout: 60_000 }, async () => {
      const { client, place } = await talk(clientEra, serverEra);
      expect((await client.listPrompts()).prompts).toMatchObject([
        { name: 'far__greet', arguments: [{ name: 'name' }] },
      ]);
      const greeted = await client.getPrompt({ name: 'far__greet', arguments: { name: 'Ada' } });
      expect(greeted.messages).toMatchObject([{ content: { text: 'Hello Ada' } }]);
      expect(receiptOf(greeted as Message)).toBeDefined();
      await expect(client.getPrompt({ name: 'far__nobody' })).rejects.toMatchObject({ code: -32602 });
      const completed = async (ref: Message, name: string, value: string) =>
        (await client.complete({ ref: ref as never, argument: { name, value } })).completion.values;
      expect(await completed({ type: 'ref/prompt', name: 'far__greet' }, 'name', 'Al')).toEqual(['Alan']);
      expect(await completed({ type: 'ref/resource', uri: 'test://items/{id}' }, 'id', '1')).toEqual(['1', '12']);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('test://static');
      expect(resources.some(({ uri }) => uri.startsWith('skill://'))).toBe(true);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
        expect.arrayContaining(['skill://{skill}/{+path}', 'test://items/{id}']),
      );
      const read = async (uri: string) => (await client.readResource({ uri })).contents[0] as Message;
      expect((await read('test://static')).text).toBe('still');
      expect((await read('test://items/7')).text).toBe('item 7');
      await client.callTool({ name: 'far__link', arguments: {} });
      expect((await read('hidden://treasure')).text).toBe('gold');
      const skill = resources.find(({ uri }) => uri.startsWith('skill://'))?.uri ?? '';
      expect((await read(skill)).text).toMatch(/^---\nname:/);
      await client.close();
      const tools = new Ledger(place.db).records.map(({ body }) => body.tool);
      expect(tools.filter((tool) => tool === 'resources/read')).toHaveLength(6);
      expect(tools.filter((tool) => tool === 'prompts/get')).toHaveLength(4);
      expect((await colibri(place, ['verify'])).code).toBe(0);
    });

    test('changes of lists and resources', { timeout: 60_000 }, async () => {
      const { client, heard, log } = await talk(clientEra, serverEra);
      const LISTS = ['tools', 'prompts', 'resources'];
      for (const list of [() => client.listTools(), () => client.listPrompts(), () => client.listResources()])
        await list();
      if (clientEra === 'modern')
        await client.listen({
          toolsListChanged: true,
          promptsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: ['test://static'],
        });
      else await client.subscribeResource({ uri: 'test://static' });
      if (serverEra === 'legacy')
        await eventually('it is subscribed to', () => log().includes('resources/subscribe test://static'));
      await client.callTool({ name: 'far__grow', arguments: {} });
      await eventually('all lists are told of', () =>
        LISTS.every((list) => heardOf(heard, `notifications/${list}/list_changed`).length > 0),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('far__grown');
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('far__grown');
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain('test://grown');
      await eventually('the resource is told of', async () => {
        await client.callTool({ name: 'far__touch', arguments: {} });
        return heardOf(heard, 'notifications/resources/updated').length > 0;
      });
      expect(heardOf(heard, 'notifications/resources/updated')[0]?.params).toMatchObject({ uri: 'test://static' });
      if (clientEra === 'legacy' && serverEra === 'legacy') {
        await client.unsubscribeResource({ uri: 'test://static' });
        await eventually('it is unsubscribed', () => log().includes('resources/unsubscribe test://static'));
      }
    });

    test('log messages, from the wanted level on', { timeout: 60_000 }, async () => {
      const { client, heard } = await talk(clientEra, serverEra);
      const said = (): unknown[] => heardOf(heard, 'notifications/message').map(({ params }) => params.data);
      const say = (_meta?: Message) =>
        client.callTool({ name: 'far__say', arguments: {}, ...(_meta && { _meta }) } as never);
      if (clientEra === 'legacy') {
        await client.setLoggingLevel('warning');
        await eventually('a warning is heard', async () => {
          await say();
          return said().includes('loud');
        });
        expect(said()).not.toContain('quiet');
        await client.setLoggingLevel('debug');
        await eventually('everything is heard', async () => {
          await say();
          return said().includes('quiet');
        });
      } else {
        await say();
        expect(said()).toEqual([]);
        await eventually('a warning is heard', async () => {
          await say({ 'io.modelcontextprotocol/logLevel': 'warning' });
          return said().includes('loud');
        });
        expect(said()).not.toContain('quiet');
      }
    });
  });
};
