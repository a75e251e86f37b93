// What routes-crossings.test.ts and routes-crossings.deep.test.ts share: questions of a provider to the client, for any pair of protocol eras.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import type { RouteNote } from '../../src/proof/switchboard-records.js';
import { Ledger } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, MAIN, type Message, MODERN } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

const ERAS = ['legacy', 'modern'] as const;

type Era = (typeof ERAS)[number];

export const CELLS = ERAS.flatMap((client) => ERAS.map((server) => [client, server] as const));

export const far = (era: Era) => {
  const entry = fakeServer('crossing');
  return { ...entry, args: [...(entry.args as string[]), era] };
};

const ROUTES = { routes: { 'ask:it': ['dead/elicit', 'far/elicit'], 'link:it': ['far/link'] } };

/** A provider asks the client, for each pair of eras. */
export const testQuestions = (cells: readonly (readonly [Era, Era])[]): void => {
  test.each(cells)('a %s client, a %s server', { timeout: 60_000 }, async (clientEra, serverEra) => {
    const place = freshPlace();
    writeBoard(place, { dead: fakeServer('dead'), far: far(serverEra) }, ROUTES);
    const mode = clientEra === 'modern' ? { pin: MODERN } : 'legacy';
    const client = new Client(
      { name: 'c', version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    let asked = 0;
    client.setRequestHandler('elicitation/create', () => {
      asked += 1;
      return { action: 'accept', content: { answer: 'yes' } };
    });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'serve'],
      env: place.env,
      cwd: place.dir,
      stderr: 'ignore',
    });
    await client.connect(transport);
    place.onEnd(() => client.close());
    // Servers of the old era are dialled with what the client says of itself before its first call.
    await client.listTools();
    await eventually('the route is served', async () => {
      const { structuredContent } = await client.callTool({ name: 'router_score', arguments: { route: 'ask:it' } });
      const { data } = structuredContent as Message;
      return data.winner?.server === 'far' && data.candidates[0].state === 'UNHEALTHY';
    });
    const call = async (name: string, args: Message = {}): Promise<Message[]> =>
      (await client.callTool({ name, arguments: args })).content as Message[];
    const given = { kind: 'elicit', action: 'accept', content: { answer: 'yes' } };
    const [direct] = await call('ask__it', { a: 1 });
    expect(JSON.parse(direct?.text)).toMatchObject({ given });
    const [, through] = await call('router_fallback', { route: 'ask:it', arguments: { a: 1 } });
    expect(JSON.parse(through?.text)).toMatchObject({ given });
    const [, named] = await call('router_call', { server: 'far', tool: 'elicit', arguments: { a: 1 } });
    expect(JSON.parse(named?.text)).toMatchObject({ given });
    expect(asked).toBe(3);

    // What a provider links to is known to be its own.
    await call('link__it');
    const read = await client.readResource({ uri: 'hidden://treasure' }).catch((error: unknown) => error);
    expect(JSON.stringify(read)).not.toContain('There is no');
    await client.close();

    const ledger = new Ledger(place.db);
    const reading = ledger.ofKind('call.exit').find(({ tool }) => tool === 'resources/read');
    expect(reading?.route).toMatchObject({
      name: null,
      candidates: [{ server: 'far', tool: 'resources/read', state: 'HEALTHY', eligible: true }],
      attempts: [{ server: 'far', tool: 'resources/read', sent: true }],
    });
    const exits = ledger.ofKind('call.exit').filter(({ route }) => route?.name === 'ask:it');
    const notes = exits.filter(({ tool }) => tool !== 'router_score').map(({ route }) => route as RouteNote);
    expect(notes.length).toBeGreaterThanOrEqual(2);
    for (const note of notes) {
      expect(note.candidates).toMatchObject([{ server: 'dead', eligible: false }, { server: 'far' }]);
      expect(new Set(note.attempts.map(({ server }) => server))).toEqual(new Set(['far']));
    }
    const hows = notes.flatMap(({ attempts }) => attempts.map(({ how }) => how));
    expect(hows).toContain('result');
    const isAskedOnTheWay = clientEra === 'modern' || serverEra === 'modern';
    expect(hows.includes('input')).toBe(isAskedOnTheWay);
  });
};
