// A thread of the verification: performs jobs one after the other on its own database connection, until it is told to stop.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { STORE_LIMITS } from '../store/limits.js';
import { type JobFailure, type JobInput, type JobKind, jobFailure, openPerformer, type Performer } from './jobs.js';
import type { StoreSource } from './reading.js';

export interface Job {
  readonly kind: JobKind;
  readonly input: JobInput<JobKind>;
}

/** A message to the thread: a job, or `stop`, which makes the thread close the database and end. */
export type Order = Job | 'stop';

export type WorkerReply = { readonly answer: unknown } | JobFailure;

const listen = (port: MessagePort, source: StoreSource): void => {
  let performer: Performer | undefined;
  let work = Promise.resolve();

  const replyTo = async ({ kind, input }: Job): Promise<WorkerReply> => {
    try {
      performer ??= openPerformer(source, STORE_LIMITS.busyMs);
      return { answer: await performer.perform(kind, input) };
    } catch (thrown) {
      return jobFailure(thrown);
    }
  };

  /** Closes what keeps the thread alive, so that the thread ends by itself and never inside the database driver. */
  const leave = (): void => {
    performer?.close();
    port.close();
  };

  port.on('message', (order: Order) => {
    work = work.then(async () => (order === 'stop' ? leave() : port.postMessage(await replyTo(order))));
  });
};

if (parentPort !== null) listen(parentPort, (workerData as { source: StoreSource }).source);
