// The thread that talks to the server for a thread that waits (blocking.ts). It answers one request after the other and keeps one transaction
// open from a snapshot's first query to its end.
import { type MessagePort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { ColibriError } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import { type BlockingReply, type BlockingRequest, type BlockingThreadData, CELL } from './blocking-message.js';
import { clientConfig } from './connections.js';
import { fromConnection, fromPostgres } from './errors.js';
import { postgresSettings } from './options.js';
import { translator } from './statement.js';

/** Reads an integer of 8 bytes or a numeric; throws if JavaScript would lose digits of it. */
const wholeNumber = (text: string): number => {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`${text.slice(0, STORE_LIMITS.quotedDigits)} is a number that Colibri never stores`);
};

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: wholeNumber,
  [pg.types.builtins.NUMERIC]: wholeNumber,
  [pg.types.builtins.INT4]: Number,
  [pg.types.builtins.BOOL]: (text) => Number(text === 't'),
};

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

class ServerThread {
  readonly #url: string;
  readonly #textOf = translator(false);
  #client: pg.Client | undefined;
  #isOpen = false;

  constructor(url: string) {
    this.#url = url;
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const client = new pg.Client({
      ...clientConfig(postgresSettings({ url: this.#url, backups: '' })),
      application_name: 'colibri verify',
      // The text of each value as the server sent it, unless it is a number: as SQLite returns it.
      types: { getTypeParser: (oid: number) => PARSERS[oid] ?? String } as unknown as pg.CustomTypesConfig,
    });
    client.on('error', () => {
      this.#client = undefined; // the query that runs, or the next one, says what happened
      this.#isOpen = false;
    });
    await client.connect();
    this.#client = client;
    return client;
  }

  async #query({ sql, params, asArrays }: Extract<BlockingRequest, { kind: 'query' }>): Promise<readonly unknown[]> {
    const { text, name } = this.#textOf(sql);
    const client = await this.#connected();
    if (!this.#isOpen) await client.query(BEGIN);
    this.#isOpen = true;
    const values = [...params];
    const { rows } = asArrays
      ? await client.query<unknown[]>({ text, name: `${name}a`, values, rowMode: 'array' })
      : await client.query({ text, name, values });
    return rows;
  }

  /** Ends the transaction. After an error a snapshot that goes on reads in a new one; the error is reported in any case. */
  async end(how: 'COMMIT' | 'ROLLBACK' = 'COMMIT'): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#client?.query(how).catch(() => {});
  }

  async answer(request: Extract<BlockingRequest, { kind: 'query' }>): Promise<BlockingReply> {
    try {
      return { rows: await this.#query(request) };
    } catch (thrown) {
      const isConnected = this.#client !== undefined;
      await this.end('ROLLBACK');
      return replyTo(isConnected ? fromPostgres(thrown) : fromConnection(thrown));
    }
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {});
  }
}

const replyTo = (thrown: unknown): BlockingReply => {
  if (!(thrown instanceof ColibriError))
    return { fault: thrown instanceof Error ? thrown.message : String(thrown), isValue: thrown instanceof RangeError };
  const { code, message, remedy, details } = thrown;
  const engine = details?.engine;
  return {
    error: { code, message, ...(remedy !== undefined && { remedy }), ...(typeof engine === 'string' && { engine }) },
  };
};

const listen = ({ url, cell, port }: BlockingThreadData & { readonly port: MessagePort }): void => {
  const state = new Int32Array(cell);
  const wake = (value: number): void => {
    Atomics.store(state, 0, value);
    Atomics.notify(state, 0);
  };
  process.on('exit', () => wake(CELL.gone)); // whoever waits must not wait for a thread that died
  const server = new ServerThread(url);
  let work = Promise.resolve();
  const perform = async (request: BlockingRequest): Promise<void> => {
    if (request.kind === 'end') return server.end();
    if (request.kind === 'close') return server.close().then(() => port.close());
    port.postMessage(await server.answer(request));
    wake(CELL.answered);
  };
  port.on('message', (request: BlockingRequest) => {
    work = work.then(() => perform(request));
  });
};

listen(workerData as BlockingThreadData & { readonly port: MessagePort });
