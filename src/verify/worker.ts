// A thread of the verification: answers jobs one after the other on a connection of its own, until it is ended.
import { parentPort, workerData } from 'node:worker_threads';
import { asError } from '../errors.js';
import { STORE_LIMITS } from '../store/limits.js';
import { type JobInput, type JobKind, openPerformer, type Performer } from './jobs.js';

export interface Order {
  readonly kind: JobKind;
  readonly input: JobInput<JobKind>;
}

export type Reply = { readonly answer: unknown } | { readonly failure: string };

const opened = (path: string): (() => Performer) => {
  let performer: Performer | undefined;
  return () => {
    performer ??= openPerformer(path, STORE_LIMITS.busyMs);
    return performer;
  };
};

const desk = opened((workerData as { path: string }).path);

const replyTo = async ({ kind, input }: Order): Promise<Reply> => {
  try {
    return { answer: await desk().perform(kind, input) };
  } catch (thrown) {
    return { failure: asError(thrown).message };
  }
};

parentPort?.on('message', (order: Order) => {
  void replyTo(order).then((reply) => parentPort?.postMessage(reply));
});
