// Starts the built `colibri serve` in a fresh folder and talks to it, line by line or through the clients people use.
// Whatever a test starts ends with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { onTestFinished } from 'vitest';
import { databaseNow, ON_POSTGRES } from './postgres.js';
import { isThere } from './process-list.js';

/** The built folder of that name; TEST_DIST stands for both: a broken copy of build/, called dist, on which a test must fail. */
const built = (name: string): string =>
  process.env.TEST_DIST ?? fileURLToPath(new URL(`../../${name}`, import.meta.url));
/** The program that users run: the bundle. */
export const MAIN = join(built('dist'), 'cli', 'main.js');
/** The same code as single modules, for children of tests that import one. */
export const MODULES = built('build');
const WITH_TOOLS = fileURLToPath(new URL('../servers/with-tools.mjs', import.meta.url));

export type Environment = Readonly<Record<string, string>>;
// biome-ignore lint/suspicious/noExplicitAny: messages are looked at field by field, each test at other ones
export type Message = Record<string, any>;

export interface Place {
  readonly dir: string;
  readonly home: string;
  /** The file of the store. With TEST_ENGINE=postgres, a copy of the store as it is at this moment. */
  readonly db: string;
  readonly env: Record<string, string>;
  /** Runs when the test is over, before the folder goes. */
  onEnd(clean: () => Promise<void> | void): void;
}

/**
 * A folder of its own with a home in it, and an environment that knows nothing else. Tests that run side by side
 * hand in their own `onTestFinished`.
 */
export const freshPlace = (finished: (clean: () => Promise<void>) => void = onTestFinished): Place => {
  const dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-wire-')));
  const home = join(dir, 'home');
  const db = join(dir, 'store', 'colibri.db');
  const tmp = join(dir, 'tmp');
  for (const folder of [home, tmp]) fs.mkdirSync(folder);
  const cleaners: (() => Promise<void> | void)[] = [];
  finished(async () => {
    for (const clean of cleaners) await clean();
    fs.rmSync(dir, { recursive: true, force: true });
  });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: tmp,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
  };
  const onEnd = (clean: () => Promise<void> | void): void => void cleaners.push(clean);
  if (!ON_POSTGRES) return { dir, home, db, env: { ...env, COLIBRI_DB_PATH: db }, onEnd };
  const database = databaseNow(db);
  cleaners.push(database.drop);
  return {
    ...{ dir, home, env: { ...env, COLIBRI_DATABASE_URL: database.url }, onEnd },
    get db() {
      return database.file();
    },
  };
};

/** Every file below `dir`, sorted, relative to it. */
export const filesBelow = (dir: string): string[] =>
  fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnChoice {
  readonly env?: Environment;
  /** Arguments of node; `dist/cli/main.js serve` if left out. */
  readonly args?: readonly string[];
  readonly uid?: number;
  /** Do not read stdout until `read()`. */
  readonly deaf?: boolean;
  /** stdout goes there instead. */
  readonly stdoutFd?: number;
  /** In a session of its own, so that whoever starts it does not belong to it. */
  readonly detached?: boolean;
  /** No file may grow beyond this: what a full disk looks like to one process. */
  readonly fileKiB?: number;
}

/** A serving process, line by line. */
export class Peer {
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  readonly #watchers = new Set<() => void>();
  #rest = '';
  #nextId = 1;
  /** Every line of stdout as it came. */
  readonly lines: string[] = [];
  /** The lines that are JSON objects, in order. */
  readonly messages: Message[] = [];
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(child: ChildProcess, deaf: boolean) {
    this.#child = child;
    this.#stdin = child.stdin as Writable;
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    void this.ended.then(() => this.#notify());
    this.#stdin.on('error', () => {}); // the other side may be gone
    (child.stderr as Readable).setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#notify();
    });
    child.stdout?.setEncoding('utf8');
    if (!deaf) this.read();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** As a client does that is not interested. */
  closeStderr(): void {
    this.#child.stderr?.destroy();
  }

  read(): void {
    this.#child.stdout?.on('data', (text: string) => this.#take(text));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
    this.#notify();
  }

  #line(line: string): void {
    this.lines.push(line);
    const message = parsed(line);
    if (message === undefined) return;
    this.messages.push(message);
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }

  #notify(): void {
    for (const look of this.#watchers) look();
  }

  /** What came without a line feed at its end. */
  get unfinished(): string {
    return this.#rest;
  }

  write(bytes: string | Buffer): void {
    this.#stdin.write(bytes);
  }

  send(message: unknown): void {
    this.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  /** Resolves when the pipe has taken everything. */
  async flushed(): Promise<void> {
    if (this.#stdin.writableLength > 0) await once(this.#stdin, 'drain');
  }

  /** The answer to the request with this id, whenever it comes. */
  answer(id: unknown, patienceMs = 30_000): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${id}\n${this.stderr}`)), patienceMs);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        resolve(message);
      });
    });
  }

  request(method: string, params?: unknown, patienceMs?: number): Promise<Message> {
    const id = this.#nextId++;
    const answer = this.answer(id, patienceMs);
    this.send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    return answer;
  }

  call(name: string, args?: unknown, patienceMs?: number): Promise<Message> {
    return this.request('tools/call', { name, ...(args !== undefined && { arguments: args }) }, patienceMs);
  }

  /** The handshake of the old era. */
  async initialize(name = 'raw', protocolVersion = '2025-06-18'): Promise<Message> {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name, version: '1.0' } };
    const answer = await this.request('initialize', params);
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** Waits until `seen` is true, looking again whenever something came. */
  async until(seen: () => boolean, patienceMs = 20_000): Promise<void> {
    if (seen()) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (end: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        end();
      };
      const look = () => {
        if (seen()) stop(resolve);
      };
      const late = () => stop(() => reject(new Error(`waited in vain\n${this.stderr}`)));
      const timer = setTimeout(late, patienceMs);
      this.#watchers.add(look);
    });
  }

  /** Waits for the open store: from here on a call carries a receipt. */
  phase2(patienceMs?: number): Promise<void> {
    return this.until(() => this.stderr.includes('store open after'), patienceMs);
  }

  /** Closes stdin. */
  end(): Promise<Ended> {
    this.#stdin.end();
    return this.ended;
  }

  /** What the death of a client looks like from the other side. */
  vanish(): Promise<Ended> {
    this.#stdin.destroy();
    this.#child.stdout?.destroy();
    return this.ended;
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal);
    return this.ended;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The most memory the process ever had resident, by /proc. */
  peakBytes(): number {
    const status = fs.readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }
}

const parsed = (line: string): Message | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
};

export const serve = (place: Place, choice: SpawnChoice = {}): Peer => {
  const node = [process.execPath, ...(choice.args ?? [MAIN, 'serve'])];
  const [command = '', ...args] =
    choice.fileKiB === undefined ? node : ['bash', '-c', `ulimit -f ${choice.fileKiB} && exec "$@"`, 'bash', ...node];
  const child = spawn(command, args, {
    cwd: place.dir,
    env: { ...place.env, ...choice.env },
    stdio: ['pipe', choice.stdoutFd ?? 'pipe', 'pipe'],
    detached: choice.detached ?? false,
    ...(choice.uid !== undefined && { uid: choice.uid, gid: choice.uid }),
  });
  const peer = new Peer(child, choice.deaf ?? false);
  place.onEnd(async () => {
    if (peer.isRunning) child.kill('SIGKILL');
    child.stdout?.resume(); // or 'close' would wait for what nobody reads
    await peer.ended;
  });
  return peer;
};

/** A server that has, besides the product's tools, those of test/servers/with-tools.mjs. */
export const serveWithTools = (place: Place, env: Environment = {}, choice: SpawnChoice = {}): Peer =>
  serve(place, { ...choice, env, args: [WITH_TOOLS, MODULES] });

/** Serves, waits for the store, gives the peer to `use`, then closes stdin and waits for the end. */
export const session = async <T>(
  place: Place,
  use: (peer: Peer) => Promise<T>,
  choice: SpawnChoice = {},
): Promise<{ value: T; peer: Peer; ended: Ended }> => {
  const peer = serve(place, choice);
  await peer.initialize();
  await peer.phase2();
  const value = await use(peer);
  return { value, peer, ended: await peer.end() };
};

// Envelopes of the new era, for those who speak it by hand.

export const MODERN = '2026-07-28';

export const modernMeta = (name: string, version = '1.0', protocol: string = MODERN): Message => ({
  'io.modelcontextprotocol/protocolVersion': protocol,
  'io.modelcontextprotocol/clientInfo': { name, version },
  'io.modelcontextprotocol/clientCapabilities': {},
});

// The clients people use.

export const CLIENT_KINDS = ['v2 legacy', 'v2 modern', 'v1'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** The part of the three clients that the tests use. */
export interface AnyClient {
  readonly kind: ClientKind;
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  protocol(): string | undefined;
  instructions(): string | undefined;
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  callTool(name: string, args?: Message): Promise<Message>;
  close(): Promise<void>;
}

const parameters = (place: Place, env: Environment) => ({
  command: process.execPath,
  args: [MAIN, 'serve'],
  env: { ...place.env, ...env },
  cwd: place.dir,
  stderr: 'pipe' as const,
});

/** stderr that nobody reads would fill its pipe and stop the server. */
const drop = (stream: unknown): void => {
  (stream as { resume?: () => void } | null)?.resume?.();
};

const connectV2 = async (place: Place, kind: ClientKind, env: Environment): Promise<AnyClient> => {
  const [name, version] = [`client-${kind.replace(' ', '-')}`, '2.4.0'];
  const mode = kind === 'v2 modern' ? { pin: MODERN } : 'legacy';
  const client = new Client({ name, version }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport(parameters(place, env));
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
    name,
    version,
    pid,
    protocol: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: (tool, args) => client.callTool({ name: tool, ...(args && { arguments: args }) }),
    close,
  };
};

const connectV1 = async (place: Place, env: Environment): Promise<AnyClient> => {
  const [name, version] = ['client-v1', '1.32.2'];
  const client = new ClientV1({ name, version });
  const transport = new StdioClientTransportV1(parameters(place, env));
  drop(transport.stderr);
  let protocol: string | undefined;
  Object.assign(transport, { setProtocolVersion: (negotiated: string) => (protocol = negotiated) });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const pid = transport.pid ?? 0;
  const close = async () => {
    await client.close();
    await gone(pid);
  };
  place.onEnd(close);
  return {
    kind: 'v1',
    name,
    version,
    pid,
    protocol: () => protocol,
    instructions: () => client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: (tool, args) => client.callTool({ name: tool, ...(args && { arguments: args }) }),
    close,
  };
};

/** Starts a process of its own and connects. */
export const connect = (place: Place, kind: ClientKind, env: Environment = {}): Promise<AnyClient> =>
  kind === 'v1' ? connectV1(place, env) : connectV2(place, kind, env);

/** Waits until no process has this id. */
export const gone = async (pid: number, patienceMs = 10_000): Promise<void> => {
  const until = Date.now() + patienceMs;
  while (pid > 0 && isThere(pid)) {
    if (Date.now() > until) throw new Error(`process ${pid} is still there`);
    await sleep(10);
  }
};
