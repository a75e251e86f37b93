// The demo's agent: an MCP client of the SDK that starts its own `colibri serve` and keeps the receipt of every response.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { within } from '../../core/within.js';
import { SWITCHBOARD_LIMITS } from '../../switchboard/limits.js';
import { CLI_LIMITS } from '../limits.js';
import type { KeptReceipt } from '../verify/receipts-file.js';
import { MAIN, type Scratch } from './scratch.js';
import { ClaimFailed } from './story.js';

const receiptIn = z.looseObject({
  'dev.colibri/receipt': z.object({
    log: z.string(),
    seq: z.int(),
    leaf: z.string(),
    call: z.string(),
    salt: z.string(),
  }),
});

const errorShape = z.looseObject({
  code: z.string(),
  message: z.string(),
  details: z.looseObject({}).default({}),
});
export type DemoToolError = z.infer<typeof errorShape>;

const envelope = z.object({ ok: z.literal(true), data: z.unknown() });
const refusalInData = z.object({ ok: z.literal(true), data: z.object({ ok: z.literal(false), error: errorShape }) });

export type Result = Awaited<ReturnType<Client['callTool']>>;

export interface ClientChoice {
  readonly env?: Readonly<Record<string, string>>;
  /** The list that the receipt of every response is added to. */
  readonly receipts: KeptReceipt[];
}

/** Checks the shape of a tool's result; throws if the shape is wrong. */
const checkedShape = <T>(shape: z.ZodType<T>, tool: string, value: unknown): T => {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ClaimFailed(`the result of ${tool} has the documented shape`, value);
};

export class DemoClient {
  readonly #client: Client;
  readonly #transport: StdioClientTransport;
  readonly #receipts: KeptReceipt[];
  readonly #closed: Promise<true>;
  #stderr = '';

  /** Prepares a `colibri serve`, which `connect` starts in the project's folder. */
  constructor(scratch: Scratch, { env = {}, receipts }: ClientChoice) {
    this.#receipts = receipts;
    this.#client = new Client({ name: 'colibri-demo', version: '1.0.0' });
    this.#closed = new Promise((resolve) => {
      this.#client.onclose = () => resolve(true);
    });
    this.#transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'serve'],
      env: { ...scratch.environment(), ...env },
      cwd: scratch.project,
      stderr: 'pipe',
    });
    this.#transport.stderr?.on('data', (chunk: unknown) => {
      this.#stderr = `${this.#stderr}${String(chunk)}`.slice(-SWITCHBOARD_LIMITS.serverStderrBytes);
    });
  }

  connect(): Promise<void> {
    return this.#client.connect(this.#transport);
  }

  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? '';
  }

  get version(): string {
    return this.#client.getServerVersion()?.version ?? '';
  }

  /** The last lines that the server printed on stderr. */
  get stderr(): string {
    return this.#stderr;
  }

  async tools(): Promise<string[]> {
    const { tools } = await this.#client.listTools(undefined, { cacheMode: 'bypass' });
    return tools.map(({ name }) => name);
  }

  /** Calls a tool and returns any result, also an error. Rejects if there is no response. */
  async call(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    const result = await this.#client.callTool({ name: tool, arguments: args });
    this.#receipts.push(checkedShape(receiptIn, tool, result._meta)['dev.colibri/receipt']);
    return result;
  }

  /** Calls one of Colibri's tools, which must succeed, and returns its data. */
  async ask<T>(tool: string, args: Readonly<Record<string, unknown>>, shape: z.ZodType<T>): Promise<T> {
    const { structuredContent } = await this.call(tool, args);
    return checkedShape(shape, tool, checkedShape(envelope, tool, structuredContent).data);
  }

  /** Calls a task tool, which must refuse the call, and returns the error. */
  async refused(tool: string, args: Readonly<Record<string, unknown>>): Promise<DemoToolError> {
    const { structuredContent } = await this.call(tool, args);
    return checkedShape(refusalInData, tool, structuredContent).data.error;
  }

  /** Kills the server with SIGKILL. The promise resolves when the process is gone. */
  async kill(): Promise<boolean> {
    const { pid } = this.#transport;
    if (pid !== null) process.kill(pid, 'SIGKILL');
    return (await within(this.#closed, CLI_LIMITS.demoPatienceMs)) ?? false;
  }

  /** Asks the server to end with SIGTERM and waits until it has ended: the SDK's close would kill a slow server. */
  async end(): Promise<boolean> {
    const { pid } = this.#transport;
    if (pid === null) return true;
    process.kill(pid, 'SIGTERM');
    return (await within(this.#closed, CLI_LIMITS.demoPatienceMs)) ?? false;
  }

  /** Closes the connection to the server, whatever its state. */
  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
  }
}
