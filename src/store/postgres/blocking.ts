// A connection to the server for code without promises: a thread of its own talks to the server, and the asking thread sleeps until the answer
// is there. A verification checks millions of values one after the other and would be twice as long with promises.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { monotonicMs } from '../../core/clock.js';
import { bundledFile } from '../../core/installed.js';
import { ColibriError, type ErrorCode } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import { type BlockingReply, type BlockingRequest, type BlockingThreadData, CELL } from './blocking-message.js';

const THREAD = bundledFile('store/postgres/blocking-thread.js');

const gone = (why: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `the database server did not answer: ${why}`, {
    remedy: 'Check that the server runs and that this machine can reach it, then verify again.',
  });

const errorOf = (reply: Exclude<BlockingReply, { rows: readonly unknown[] }>): Error => {
  if ('fault' in reply) return reply.isValue ? new RangeError(reply.fault) : new Error(reply.fault);
  const { code, message, remedy = '', engine } = reply.error;
  return new ColibriError(code as ErrorCode, message, { remedy, ...(engine !== undefined && { details: { engine } }) });
};

/** One connection to the server, in a thread of its own. */
export class BlockingConnection {
  readonly #port: MessagePort;
  readonly #cell: Int32Array;

  constructor(url: string) {
    const { port1, port2 } = new MessageChannel();
    const cell = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    [this.#port, this.#cell] = [port1, new Int32Array(cell)];
    const data: BlockingThreadData & { port: MessagePort } = { url, cell, port: port2 };
    const thread = new Worker(THREAD, { workerData: data, transferList: [port2], execArgv: [] });
    thread.on('error', () => {}); // the thread has told by its cell that it is gone
    thread.unref();
    port1.unref();
  }

  tell(request: BlockingRequest): void {
    this.#port.postMessage(request);
  }

  /**
   * Sleeps until the thread has answered or has ended, and returns what the cell says. Only the cell counts: the notification of one answer may
   * come late, when the next answer is already waited for.
   */
  #sleep(): number {
    const until = monotonicMs() + STORE_LIMITS.serverAnswerMs;
    for (let left: number = STORE_LIMITS.serverAnswerMs; left > 0; left = until - monotonicMs()) {
      Atomics.wait(this.#cell, 0, CELL.waiting, left);
      const state = Atomics.load(this.#cell, 0);
      if (state !== CELL.waiting) return state;
    }
    return CELL.waiting;
  }

  /** Sends a request and sleeps until its answer is there. */
  ask(request: BlockingRequest): readonly unknown[] {
    this.tell(request);
    const state = this.#sleep();
    const reply = (receiveMessageOnPort(this.#port) as { message: BlockingReply } | undefined)?.message;
    if (state === CELL.answered) Atomics.store(this.#cell, 0, CELL.waiting);
    if (reply === undefined) throw gone(state === CELL.gone ? 'the thread ended' : 'the time is over');
    if ('rows' in reply) return reply.rows;
    throw errorOf(reply);
  }
}
