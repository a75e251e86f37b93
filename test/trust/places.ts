// What the tests of definitions and approvals share: a server whose tools change, and the three clients, each with somebody who answers
// questions.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Ledger } from '../support/ledger-check.js';
import { type ClientKind, freshPlace, gone, MAIN, type Message, MODERN, type Place } from '../support/serve.js';
import { fakeServer, type ServerEntry, writeBoard } from '../support/switchboard-file.js';

const OBJECT = { type: 'object', properties: { path: { type: 'string' }, ms: { type: 'number' } } };

export const toolNamed = (name: string, more: Message = {}): Message => ({
  name,
  description: `Does ${name}.`,
  inputSchema: OBJECT,
  ...more,
});

export interface World {
  readonly place: Place;
  /** Writes what the server lists from now on. */
  list(tools: readonly Message[]): void;
  /** The calls that reached the server, in order. */
  calls(): readonly string[];
  entry(more?: ServerEntry, name?: string): ServerEntry;
  board(servers: Record<string, ServerEntry>, more?: object): string;
}

/** A place with a server behind Colibri, called `far` unless `servers` says otherwise. */
export const worldWith = (tools: readonly Message[], more: ServerEntry = {}): World => {
  const place = freshPlace();
  const [file, logFile] = [join(place.dir, 'tools.json'), join(place.dir, 'calls.log')];
  const world: World = {
    place,
    list: (now) => {
      fs.writeFileSync(`${file}.new`, JSON.stringify(now));
      fs.renameSync(`${file}.new`, file);
    },
    calls: () =>
      fs.existsSync(logFile)
        ? fs
            .readFileSync(logFile, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map((line) => line.slice(line.indexOf(' ') + 1))
        : [],
    entry: (extra = {}) => ({ ...fakeServer('changing', { TOOLS: file, LOG: logFile }), ...extra }),
    board: (servers, rest) => writeBoard(place, servers, rest),
  };
  world.list(tools);
  world.board({ far: world.entry(more) });
  return world;
};

/** What a client answers to a question; `never`: nothing. */
export type Elicited = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> };
export type OnQuestion = (params: Message) => Elicited | Promise<Elicited>;

export interface TrustClient {
  readonly kind: ClientKind;
  readonly pid: number;
  list(): Promise<Message[]>;
  call(name: string, args?: Message): Promise<Message>;
  close(): Promise<void>;
}

export interface ClientChoice {
  readonly name?: string;
  readonly onQuestion?: OnQuestion | undefined;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** True if the test's own process is to be the client that asks. */
  readonly isAsker?: true;
  /** A program that starts Colibri, below the client. */
  readonly below?: readonly string[];
}

export const STAND_IN = fileURLToPath(new URL('../children/stand-in-client.mjs', import.meta.url));

const commandOf = ({ isAsker, below = [] }: ClientChoice) => {
  const own = isAsker === true ? [] : ['setsid', process.execPath, STAND_IN];
  const [command, ...args] = [...own, ...below, ...(own.length > 0 ? [] : [process.execPath]), MAIN, 'serve'];
  return { command: command ?? '', args };
};

const parameters = ({ dir, env }: Place, choice: ClientChoice) => ({
  // The test itself must not count as the client where it answers like a person: so the client is a process, and a group, of its own.
  ...commandOf(choice),
  env: { ...env, ...choice.env },
  cwd: choice.cwd ?? dir,
  stderr: 'pipe' as const,
});

const drop = (stream: unknown): void => {
  (stream as { resume?: () => void } | null)?.resume?.();
};

const PATIENCE = { timeout: 120_000 };

const v2 = async (place: Place, kind: ClientKind, choice: ClientChoice): Promise<TrustClient> => {
  const { name = `client-${kind}`, onQuestion } = choice;
  const mode = kind === 'v2 modern' ? { pin: MODERN } : 'legacy';
  const capabilities = onQuestion === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name, version: '7.7' }, { versionNegotiation: { mode }, capabilities });
  if (onQuestion !== undefined)
    client.setRequestHandler('elicitation/create', (request) => onQuestion(request.params as Message) as never);
  const transport = new StdioClientTransport(parameters(place, choice));
  drop(transport.stderr);
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  const close = async () => {
    await client.close();
    await gone(pid);
  };
  place.onEnd(close);
  return {
    kind,
    pid,
    list: async () => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools as Message[],
    call: (tool, args = {}) => client.callTool({ name: tool, arguments: args }, PATIENCE),
    close,
  };
};

const v1 = async (place: Place, choice: ClientChoice): Promise<TrustClient> => {
  const { name = 'client-v1', onQuestion } = choice;
  const capabilities = onQuestion === undefined ? {} : { elicitation: {} };
  const client = new ClientV1({ name, version: '7.7' }, { capabilities });
  if (onQuestion !== undefined)
    client.setRequestHandler(ElicitRequestSchema, (request) => onQuestion(request.params as Message) as never);
  const transport = new StdioClientTransportV1(parameters(place, choice));
  drop(transport.stderr);
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const pid = transport.pid ?? 0;
  const close = async () => {
    await client.close();
    await gone(pid);
  };
  place.onEnd(close);
  return {
    kind: 'v1',
    pid,
    list: async () => (await client.listTools()).tools as Message[],
    call: (tool, args = {}) => client.callTool({ name: tool, arguments: args }, undefined, PATIENCE),
    close,
  };
};

export const trustClient = (place: Place, kind: ClientKind, choice: ClientChoice = {}): Promise<TrustClient> =>
  kind === 'v1' ? v1(place, choice) : v2(place, kind, choice);

/** Waits until the server's tool is listed. */
export const untilListed = async (client: TrustClient, tool: string): Promise<Message> => {
  for (let tries = 0; tries < 200; tries++) {
    const found = (await client.list()).find(({ name }) => name === tool);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${tool} was not listed`);
};

export const recordsOf = (place: Place, kind: string): Message[] =>
  new Ledger(place.db).records.filter((record) => record.kind === kind).map(({ body }) => body);

/** The error of a refused call, of another server's tool or of a router tool. */
export const errorOf = (answer: Message): Message | undefined =>
  answer._meta?.['dev.colibri/refusal']?.error ?? answer.structuredContent?.error;
