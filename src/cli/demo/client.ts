// The demo's agent: an MCP client of the SDK that starts its own `colibri serve` and keeps the receipt of every response.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { within } from '../../core/clock.js';
import { SWITCHBOARD_LIMITS } from '../../switchboard/limits.js';
import { CLI_LIMITS } from '../limits.js';
import type { KeptReceipt } from '../verify/receipts-file.js';
import { MAIN, type Scratch } from './scratch.js';
import { ClaimFailed } from './story.js';

const receipt = z.object({ log: z.string(), seq: z.int(), leaf: z.string(), call: z.string(), salt: z.string() });
const receiptIn = z.looseObject({ 'dev.colibri/receipt': receipt });

const errorShape = z.looseObject({ code: z.string(), message: z.string(), details: z.looseObject({}).default({}) });
type DemoToolError = z.infer<typeof errorShape>;

const envelope = z.object({ ok: z.literal(true), data: z.unknown() });
const refusalInData = z.object({ ok: z.literal(true), data: z.object({ ok: z.literal(false), error: errorShape }) });

export type Result = Awaited<ReturnType<Client['callTool']>>;

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
  /** The last lines that the server printed on stderr. */
  stderr = '';

  /** Prepares a `colibri serve`, which `connect` starts in the project's folder. The receipt of every response is added to `receipts`. */
  constructor(scratch: Scratch, env: Readonly<Record<string, string>>, receipts: KeptReceipt[]) {
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
      this.stderr = `${this.stderr}${String(chunk)}`.slice(-SWITCHBOARD_LIMITS.serverStderrBytes);
    });
  }

  connect(): Promise<void> {
    return this.#client.connect(this.#transport);
  }

  /** The protocol version and Colibri's version, from the handshake. */
  get hello(): { protocol: string; version: string } {
    const { version = '' } = this.#client.getServerVersion() ?? {};
    return { protocol: this.#client.getNegotiatedProtocolVersion() ?? '', version };
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

  /** Sends a signal to the server and waits until it has ended: the SDK's close would kill a slow server. */
  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<boolean> {
    const { pid } = this.#transport;
    if (pid !== null) process.kill(pid, signal);
    return (await within(this.#closed, CLI_LIMITS.demoPatienceMs)) ?? false;
  }

  /** Closes the connection to the server, whatever its state. */
  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
  }
}
