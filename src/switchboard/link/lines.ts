// The transport to a server's process: one message per line over its pipes, built from the same parts as Colibri's own stdio transport
// (wire/line-transport.ts). Lines that are not JSON-RPC are counted and not answered, because some servers print banners to stdout. If a
// response is too long or cannot be read, only the request that it answers ends with an error.
//
// `close()` releases the pipes. It does not end the process: the code that started the process does that.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import { asError } from '../../errors.js';
import { ignoreErrors } from '../../wire/console.js';
import { errorResponse, type MessageReading, readMessage, refuseTooLong } from '../../wire/json-rpc.js';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { type Line, LineReader } from '../../wire/line-reader.js';
import { LineWriter } from '../../wire/line-writer.js';
import { MemberScan } from '../../wire/member-scan.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { AnswerScan, standInFor, type TakeLarge } from './answer-scan.js';
import type { ServerProcess } from './child-process.js';
import type { Carrier, Posted } from './link.js';
import { StepCount, TOO_MUCH, UNCOUNTED_BYTES } from './step-count.js';

const TOO_LONG = `was longer than ${WIRE_LIMITS.lineBytes} bytes and was dropped`;

/**
 * The error that replaces a response that Colibri cannot accept; it tells the caller why. Undefined if the line is not a whole response, for
 * instance because the server died while it wrote the line.
 */
const errorInstead = (scan: MemberScan, why: string): JSONRPCMessage | undefined => {
  const answers = scan.isWhole && !scan.has('method') && (scan.has('result') || scan.has('error'));
  return answers && scan.id !== undefined
    ? errorResponse(scan.id, RPC.internal, `The server's answer ${why}. The call may have done its work`)
    : undefined;
};

const readTooLong = (scan: MemberScan): MessageReading => {
  const message = errorInstead(scan, TOO_LONG);
  return message === undefined ? refuseTooLong(scan, WIRE_LIMITS.lineBytes) : { message };
};

const scanOf = (bytes: Buffer): MemberScan => {
  const scan = new MemberScan();
  scan.push(bytes);
  return scan;
};

const readTooMuch = (bytes: Buffer): MessageReading => {
  const message = errorInstead(scanOf(bytes), TOO_MUCH);
  return message === undefined
    ? { refusal: { code: RPC.invalidRequest, message: `Invalid Request: ${TOO_MUCH}`, answer: false } }
    : { message };
};

const readLine = (line: Line): MessageReading | undefined => {
  if ('tooLong' in line) return readTooLong(line.tooLong);
  const isTooMuch = line.bytes.length > UNCOUNTED_BYTES && !new StepCount().push(line.bytes);
  return isTooMuch ? readTooMuch(line.bytes) : readMessage(line.bytes);
};

/** The error that replaces a response that cannot be read. Lines without an id are not scanned, because servers may print much other text. */
const unreadable = (bytes: Buffer, why: string): JSONRPCMessage | undefined =>
  bytes.includes('"id"') ? errorInstead(scanOf(bytes), `could not be read and was dropped (${why})`) : undefined;

const nothing = (): void => {};

export class ProcessTransport implements Transport, Carrier {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  /** Gets every message before the SDK; returns true if the SDK must not see the message. */
  tap: (message: JSONRPCMessage) => boolean = () => false;
  /** Gets every answer with a large result; returns true if the result need not be parsed. */
  keepLarge: TakeLarge = () => false;
  /** How many lines of the server's stdout were not JSON-RPC. */
  noise = 0;
  /** True if the server has closed its output. */
  hasEnded = false;
  // The SDK recognises a stdio transport by the members `pid` and `stderr`.
  readonly pid: number;
  readonly stderr = null;

  readonly #server: ServerProcess;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  /** The scan of the long line that has not ended yet. */
  #answer: AnswerScan | undefined;
  #closed = false;
  #lastWords: NodeJS.Timeout | undefined;

  constructor(server: ServerProcess) {
    this.#server = server;
    this.pid = server.pid;
    this.#writer = new LineWriter(server.stdin, WIRE_LIMITS.stdoutBacklogBytes, nothing);
    this.#reader = new LineReader(server.stdout, WIRE_LIMITS.lineBytes, {
      take: (line) => this.#take(line),
      growing: (bytes) => this.#scan(bytes),
      full: () => false,
      idle: () => this.#onIdle(),
      ended: () => this.#onInputEnd(),
      failed: (error) => this.onerror?.(error),
    });
  }

  get isOpen(): boolean {
    return !this.#closed && !this.hasEnded && this.#server.stdin.writable;
  }

  async start(): Promise<void> {
    const { stdin } = this.#server;
    stdin.on('error', this.#onOutputEnd).on('close', this.#onOutputEnd).on('drain', this.#onDrain);
    this.#reader.start();
  }

  /** Writes a message; rejects if too many wait to be written: a server that sends requests but never reads must not fill the memory. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#writer.unwritten > SWITCHBOARD_LIMITS.serverBacklogMessages)
      throw new Error('The server does not read the messages that it is sent');
    await this.#write(message, false);
  }

  // If writing rejects, that is ignored: the message was written, and only the pipe has no room for more messages.
  post(message: JSONRPCMessage, { hasCompany }: Pick<Posted, 'hasCompany'>): void {
    this.#write(message, hasCompany).catch(nothing);
  }

  notify(message: JSONRPCMessage): void {
    this.send(message).catch(nothing);
  }

  /**
   * Writes a message. Throws if nothing was written; rejects if the pipe is full. `moreToCome`: true if all lines of this turn of the event
   * loop are to be written together.
   */
  #write(message: JSONRPCMessage, moreToCome: boolean): Promise<void> {
    if (!this.isOpen) throw new Error('The connection is closed');
    return this.#writer.write(JSON.stringify(message), moreToCome);
  }

  /** Releases the pipes of the process. The promise never rejects. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#lastWords);
    const { stdin, stdout } = this.#server;
    this.#reader.stop();
    stdin.off('error', this.#onOutputEnd).off('close', this.#onOutputEnd).off('drain', this.#onDrain);
    ignoreErrors(stdin);
    this.#writer.abort(new Error('The connection was closed'));
    // A server that still writes must not block on a full pipe while it ends.
    stdout.resume();
    this.onclose?.();
  }

  /** Scans a long line while it arrives, so that little is left to do when it has come. */
  #scan(bytes: Buffer): void {
    if (bytes.length <= SWITCHBOARD_LIMITS.largeResultBytes) return;
    this.#answer ??= new AnswerScan();
    this.#answer.push(bytes);
  }

  /** The message that stands for a line with a large result; undefined if the line must be parsed. */
  #readLarge(line: Line): MessageReading | undefined {
    if ('bytes' in line) this.#scan(line.bytes);
    const answer = 'bytes' in line ? this.#answer?.finish(line.bytes) : undefined;
    this.#answer = undefined;
    return answer !== undefined && this.keepLarge(answer) ? { message: standInFor(answer) } : undefined;
  }

  #take(line: Line): void {
    const reading = this.#readLarge(line) ?? readLine(line);
    if (reading === undefined) return;
    if ('message' in reading) this.#deliver(reading.message);
    else this.#takeNoise(line, reading.refusal.message);
  }

  #takeNoise(line: Line, why: string): void {
    this.noise++;
    const message = 'bytes' in line ? unreadable(line.bytes, why) : undefined;
    if (message !== undefined) this.#deliver(message);
  }

  /** Passes a message on. An exception while a message is handled must not stop the messages behind it. */
  #deliver(message: JSONRPCMessage): void {
    try {
      if (!this.tap(message)) this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(asError(thrown));
    }
  }

  /** Closes the transport after the server closed its output. Lines that came before are still delivered. */
  #onInputEnd(): void {
    this.hasEnded = true;
    if (!this.#reader.waiting) void this.close();
  }

  #onIdle(): void {
    if (this.hasEnded) void this.close();
  }

  /** Closes the transport after the server closed its input. What the server still writes is read for a moment. */
  readonly #onOutputEnd = (): void => {
    this.#writer.abort(new Error('The server closed its input'));
    this.#lastWords ??= setTimeout(() => void this.close(), SWITCHBOARD_LIMITS.lastWordsMs);
  };

  readonly #onDrain = (): void => this.#writer.release();
}
