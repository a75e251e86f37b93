// Runs the jobs of a verification in threads, so that the caller's event loop stays free, or on the caller's thread (tests).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { bundledFile } from '../core/installed.js';
import {
  type JobAnswer,
  type JobFailure,
  type JobInput,
  type JobKind,
  jobFailure,
  openPerformer,
  type Performer,
} from './jobs.js';
import { VERIFY_LIMITS } from './limits.js';
import type { StoreSource } from './reading.js';
import type { Job, Order, WorkerReply } from './worker.js';

/** Thrown if the store cannot be read, or can be read only in part. */
export class Unreadable extends Error {}

/** Thrown if SQLite found the file damaged where no check could go on without the damaged part. */
export class Damaged extends Error {}

/** The error for a job that failed. */
const failureOf = ({ failure, isDamage }: JobFailure): Error =>
  isDamage ? new Damaged(failure) : new Unreadable(failure);

/** Thrown if the verification reached its time limit or was cancelled by its caller. */
export class Stopped extends Error {}

export interface Executor {
  /** The most jobs that a caller should start at once. */
  readonly width: number;
  run<K extends JobKind>(kind: K, input: JobInput<K>): Promise<JobAnswer<K>>;
  close(): Promise<void>;
}

const WORKER = bundledFile('verify/worker.js');

export const inlineExecutor = (source: StoreSource, signal: AbortSignal): Executor => {
  let performer: Performer | undefined;
  return {
    width: 1,
    run: async <K extends JobKind>(kind: K, input: JobInput<K>): Promise<JobAnswer<K>> => {
      // Lets timers run between two jobs; otherwise the time limit would never fire.
      await nextTurn();
      if (signal.aborted) throw new Stopped();
      try {
        performer ??= openPerformer(source, 0);
        return await performer.perform(kind, input);
      } catch (thrown) {
        throw failureOf(jobFailure(thrown));
      }
    },
    close: async () => performer?.close(),
  };
};

interface Waiting {
  readonly order: Job;
  readonly settle: (reply: WorkerReply) => void;
  readonly fail: (error: Error) => void;
}

/** Runs jobs in worker threads: jobs wait in order of arrival, and each goes to the next free thread. */
class ThreadPool implements Executor {
  readonly width: number;
  readonly #source: StoreSource;
  readonly #exits = new Map<Worker, Promise<void>>();
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Waiting>();
  readonly #abandoned = new Set<Worker>();
  #queue: Waiting[] = [];
  #ended: Error | undefined;

  constructor(source: StoreSource, threads: number) {
    this.width = threads * 2;
    this.#source = source;
    // A thread takes longer to start than its first job lasts, so all start at once.
    for (let n = 0; n < threads; n++) this.#idle.push(this.#start());
  }

  #start(): Worker {
    const worker = new Worker(WORKER, {
      workerData: { source: this.#source },
      execArgv: [],
      // A batch of records is garbage as soon as it is checked. A large young generation of V8's heap keeps such batches out of the old
      // generation.
      resourceLimits: { maxYoungGenerationSizeMb: VERIFY_LIMITS.youngMemoryMb },
    });
    worker.on('message', (reply: WorkerReply) => this.#done(worker, reply));
    worker.on('error', (error) => this.end(new Unreadable(error.message)));
    worker.on('exit', () => this.end(new Unreadable('a thread of the verification ended')));
    this.#exits.set(worker, new Promise((resolve) => worker.once('exit', () => resolve())));
    return worker;
  }

  #done(worker: Worker, reply: WorkerReply): void {
    this.#busy.get(worker)?.settle(reply);
    this.#busy.delete(worker);
    this.#idle.push(worker);
    this.#dispatch();
  }

  /** Gives waiting jobs to free threads; called for each new job and each thread that becomes free. */
  #dispatch(): void {
    const [waiting] = this.#queue;
    const worker = waiting && this.#idle.pop();
    if (waiting === undefined || worker === undefined) return;
    this.#queue.shift();
    this.#busy.set(worker, waiting);
    worker.postMessage(waiting.order);
  }

  run<K extends JobKind>(kind: K, input: JobInput<K>): Promise<JobAnswer<K>> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      const settle = (reply: WorkerReply): void =>
        'failure' in reply ? reject(failureOf(reply)) : resolve(reply.answer as JobAnswer<K>);
      this.#queue.push({ order: { kind, input }, settle, fail: reject });
      this.#dispatch();
    });
  }

  /** Rejects all jobs, those that wait or run and those that come later. */
  end(why: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    for (const worker of this.#busy.keys()) this.#abandoned.add(worker);
    for (const { fail } of [...this.#busy.values(), ...this.#queue]) fail(why);
    this.#busy.clear();
    this.#queue = [];
    for (const [worker, exited] of this.#exits) this.#stop(worker, exited);
  }

  /**
   * Asks a thread to end after its current job. Terminating a thread while the database driver throws aborts the whole process
   * (SIGABRT), so only a thread that does not end in time is terminated.
   */
  #stop(worker: Worker, exited: Promise<void>): void {
    worker.postMessage('stop' satisfies Order);
    const late = setTimeout(() => void worker.terminate(), VERIFY_LIMITS.threadEndMs);
    void exited.then(() => clearTimeout(late));
  }

  /** Stops the threads and waits until they end, but does not wait for a thread that is in the middle of a job. */
  async close(): Promise<void> {
    this.end(new Stopped());
    await Promise.all([...this.#exits].map(([worker, exited]) => (this.#abandoned.has(worker) ? undefined : exited)));
  }
}

export const threadExecutor = (source: StoreSource, signal: AbortSignal, threads: number): Executor => {
  const pool = new ThreadPool(source, threads);
  const stop = (): void => pool.end(new Stopped());
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return pool;
};
