// A `Transport` for the SDK: JSON-RPC over two streams, one message per line. It replaces the SDK's transport, which drops answers at the
// end of stdin, crashes on a long line, leaves bad requests unanswered and buffers without bound when the client does not read.
//
//   input → LineReader → readMessage → onmessage → … → send → LineWriter → output
//
// The streams belong to the caller: the transport pauses them and never ends or destroys them.

import type { Readable, Writable } from 'node:stream';
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  Transport,
} from '@modelcontextprotocol/server';
import { CORE_LIMITS } from '../core/limits.js';
import { RPC } from '../core/rpc-codes.js';
import { asError, quietly } from '../errors.js';
import { ignoreErrors } from './console.js';
import { errorResponse, type Refusal, readMessage, refuseTooLong } from './json-rpc.js';
import { WIRE_LIMITS } from './limits.js';
import { type Line, LineReader } from './line-reader.js';
import { InFlight, LineWriter, Progress } from './line-writer.js';
import { splicedLine } from './spliced.js';

export interface LineTransportOptions {
  readonly lineBytes?: number;
  /** The bytes that may wait on the output before reading pauses. */
  readonly stdoutBacklogBytes?: number;
  readonly passingBacklogBytes?: number;
  /** How long requests in flight may take at most to be answered when the transport ends. */
  readonly drainMs?: number;
}

export interface DrainReport {
  /** The number of requests that were answered after the transport began to end. */
  readonly drained: number;
  /** The number of requests that had no answer when the transport ended. */
  readonly abandoned: number;
}

/** The method of a request that stays open while the client listens, so a transport that ends does not wait for the answer. */
const SUBSCRIPTION = 'subscriptions/listen';

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message;

const isCancellation = (message: JSONRPCMessage): message is JSONRPCNotification =>
  'method' in message && message.method === 'notifications/cancelled';

/** Whether a message can end a request in flight: a cancellation, or the client's answer to a question. */
const endsRequests = (message: JSONRPCMessage): boolean => !('method' in message) || isCancellation(message);

/**
 * The notifications that may be dropped: servers send them at any rate, and nothing else limits their number while the client does not
 * read.
 */
const PASSING: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message']);

const mayBeDropped = (message: JSONRPCMessage): boolean => 'method' in message && PASSING.has(message.method);

const nothing = (): void => {};

export class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];

  readonly #output: Writable;
  readonly #lineBytes: number;
  readonly #drainMs: number;
  readonly #passingBytes: number;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #inFlight = new InFlight();
  readonly #progress = new Progress();

  #started = false;
  #closed = false;
  /** True from when no new requests are taken. */
  #isStopping = false;
  #answered = 0;
  #draining: Promise<DrainReport> | undefined;

  constructor(input: Readable, output: Writable, options: LineTransportOptions = {}) {
    this.#output = output;
    this.#lineBytes = options.lineBytes ?? WIRE_LIMITS.lineBytes;
    this.#drainMs = options.drainMs ?? CORE_LIMITS.drainMs;
    this.#passingBytes = options.passingBacklogBytes ?? WIRE_LIMITS.passingBacklogBytes;
    this.#writer = new LineWriter(
      output,
      options.stdoutBacklogBytes ?? WIRE_LIMITS.stdoutBacklogBytes,
      this.#progress.made,
    );
    this.#reader = new LineReader(input, this.#lineBytes, {
      take: (line) => this.#take(line),
      full: () => this.#writer.full,
      idle: this.#progress.made,
      ended: () => {
        this.#draining ??= this.#finish();
      },
      failed: (error) => this.#report(error),
    });
  }

  /** The number of requests that were delivered and neither answered nor cancelled. */
  get pending(): number {
    return this.#inFlight.size;
  }

  /** True if bytes were received that are not handled yet. */
  get moreWaits(): boolean {
    return this.#reader.waiting;
  }

  async start(): Promise<void> {
    if (this.#started || this.#closed) throw new Error('A LineTransport starts once');
    this.#started = true;
    this.#output.on('error', this.#onOutputError).on('close', this.#onOutputClose).on('drain', this.#onOutputDrain);
    if (this.#output.destroyed) setImmediate(this.#onOutputClose);
    this.#reader.start();
  }

  /**
   * Sends a message. Resolves when the output has taken it or, if too much waits there, when the output has room again: that slows the
   * sender. Far above the bound, progress and log messages are dropped. An answer that JSON cannot represent becomes an error.
   */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || !this.#output.writable) throw new Error('The LineTransport is closed');
    if (this.#output.writableLength > this.#passingBytes && mayBeDropped(message)) return;
    const answers = 'method' in message ? undefined : message.id;
    const line = splicedLine(message) ?? this.#stringify(message, answers);
    if (answers !== undefined && this.#inFlight.remove(answers)) this.#answered++;
    const taken = this.#write(line);
    this.#progress.made();
    await taken;
  }

  /**
   * Takes no new requests, waits for the requests in flight, flushes, closes. A second call gets the report of the first. Until the
   * transport is closed, cancellations and the client's answers to questions are still delivered, because requests in flight end by them;
   * other messages are dropped. At the end of input, all lines have been delivered before.
   */
  drain(drainMs: number = this.#drainMs): Promise<DrainReport> {
    this.#draining ??= this.#drain(drainMs, this.#answered);
    return this.#draining;
  }

  /** Closes the transport. The promise never rejects. The output still writes what it has taken. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader.stop();
    this.#output.off('error', this.#onOutputError).off('close', this.#onOutputClose).off('drain', this.#onOutputDrain);
    ignoreErrors(this.#output);
    this.#writer.abort(new Error('The LineTransport was closed'));
    this.#progress.made();
    try {
      this.onclose?.();
    } catch (thrown) {
      this.#report(asError(thrown));
    }
  }

  #take(line: Line): void {
    const reading = 'tooLong' in line ? refuseTooLong(line.tooLong, this.#lineBytes) : readMessage(line.bytes);
    if (reading === undefined) return;
    if ('refusal' in reading) this.#refuse(reading.refusal);
    else this.#deliver(reading.message);
  }

  /** Answers a bad line. Does not use `send`: the line may have the id of a request in flight, which would then count as answered. */
  #refuse({ code, message, id, answer }: Refusal): void {
    this.#report(new Error(`Refused a line: ${message}`));
    if (answer && !this.#isStopping) this.#write(JSON.stringify(errorResponse(id, code, message))).catch(nothing);
  }

  #deliver(message: JSONRPCMessage): void {
    if (this.#isStopping && !endsRequests(message)) return;
    if (isRequest(message)) {
      if (message.method !== SUBSCRIPTION) this.#inFlight.add(message.id);
    } else if (isCancellation(message)) this.#inFlight.remove(message.params?.requestId as RequestId);
    if (this.#isStopping) this.#progress.made();
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.#report(asError(thrown));
      if (isRequest(message) && this.#inFlight.has(message.id))
        this.send(errorResponse(message.id, RPC.internal, 'Internal error')).catch(nothing);
    }
  }

  #write(line: string | readonly (string | Buffer)[]): Promise<void> {
    // If other requests are in flight, their answers may follow in this turn of the event loop and can leave in the same write.
    const taken = this.#writer.write(line, this.#inFlight.size > 0);
    if (this.#writer.full) this.#reader.pause();
    return taken;
  }

  #stringify(message: JSONRPCMessage, answers: RequestId | undefined): string {
    try {
      return JSON.stringify(message);
    } catch (thrown) {
      if (answers === undefined) throw thrown;
      this.#report(new Error('An answer could not be written as JSON', { cause: thrown }));
      return JSON.stringify(
        errorResponse(answers, RPC.internal, 'Internal error: the answer cannot be written as JSON'),
      );
    }
  }

  /** Ends the transport at the end of input: lines that were read before are still delivered, as long as the client reads the answers. */
  async #finish(): Promise<DrainReport> {
    const answered = this.#answered;
    await this.#until(() => !this.#reader.waiting, this.#drainMs, 'last progress');
    return this.#drain(this.#drainMs, answered);
  }

  async #drain(drainMs: number, answeredBefore: number): Promise<DrainReport> {
    this.#isStopping = true;
    await this.#until(() => this.#inFlight.size === 0, drainMs, 'start');
    await this.#until(() => this.#writer.unwritten === 0, drainMs, 'last progress');
    await this.close();
    return { drained: this.#answered - answeredBefore, abandoned: this.#inFlight.size };
  }

  #until(done: () => boolean, patienceMs: number, from: 'start' | 'last progress'): Promise<void> {
    return this.#progress.until(() => this.#closed || done(), patienceMs, from);
  }

  readonly #onOutputError = (error: Error): void => {
    this.#report(error);
    void this.close();
  };

  readonly #onOutputClose = (): void => void this.close();

  readonly #onOutputDrain = (): void => {
    this.#writer.release();
    this.#reader.pump();
  };

  #report(error: Error): void {
    quietly(() => this.onerror?.(error)); // an error handler that throws must not stop the messages
  }
}

/** The transport over the process's stdin and stdout. No other code uses these streams for the protocol. */
export const stdioTransport = (options: LineTransportOptions = {}): LineTransport =>
  new LineTransport(process.stdin, process.stdout, options);
