// What the bad days of a team on PostgreSQL have in common: a node, its calls, and how an answer is told from a refusal.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { colibri } from '../support/command-line.js';
import { type Receipt, receiptOf } from '../support/ledger-check.js';
import { PostgresProxy } from '../support/postgres-proxy.js';
import { type Environment, type Message, type Peer, type Place, serve } from '../support/serve.js';

export const proxyTo = async (url: string): Promise<PostgresProxy> => {
  const { hostname: host, port } = new URL(url);
  const proxy = await PostgresProxy.before({ host, port: Number(port || 5432) });
  onTestFinished(() => proxy.close());
  return proxy;
};

export const opened = async (place: Place, env: Environment = {}): Promise<Peer> => {
  const peer = serve(place, { env });
  await peer.initialize();
  await peer.phase2();
  return peer;
};

/** The error of a call, wherever it stands; undefined if the call succeeded. */
export const errorOf = (answer: Message): Message | undefined => {
  const content = answer.result?.structuredContent;
  if (content?.ok === true) return content.data?.ok === false ? content.data.error : undefined;
  return content?.error ?? { code: 'NO_ANSWER', message: JSON.stringify(answer) };
};

export interface Made {
  readonly data: Message;
  readonly receipt: Receipt;
}

/** A call that must be acknowledged. */
export const acknowledged = async (peer: Peer, tool: string, args: object = {}): Promise<Made> => {
  const answer = await peer.call(tool, args);
  const receipt = receiptOf(answer);
  expect(errorOf(answer), tool).toBeUndefined();
  if (receipt === undefined) throw new Error(`${tool} has no receipt`);
  return { data: answer.result.structuredContent.data, receipt };
};

export interface Refused {
  readonly error: Message;
  readonly ms: number;
}

/** A call that must be refused, in a sentence and with a time to try again. */
export const refused = async (peer: Peer, tool: string, args: object = {}): Promise<Refused> => {
  const begun = performance.now();
  const error = errorOf(await peer.call(tool, args, 90_000));
  if (error === undefined) throw new Error(`${tool} was not refused`);
  return { error, ms: performance.now() - begun };
};

/** Repeats a call until it is acknowledged; how long that took is for the caller to judge. */
export const healed = async (peer: Peer, tool: string, args: object, patienceMs: number): Promise<Made> => {
  const until = performance.now() + patienceMs;
  for (;;) {
    const answer = await peer.call(tool, args, 90_000);
    const receipt = receiptOf(answer);
    if (errorOf(answer) === undefined && receipt !== undefined)
      return { data: answer.result.structuredContent.data, receipt };
    if (performance.now() > until) throw new Error(`does not heal: ${JSON.stringify(answer)}\n${peer.stderr}`);
    await sleep(100);
  }
};

/** What `doctor` prints. */
export const doctor = async (place: Place, env: Environment = {}): Promise<string> => {
  const { stdout, stderr } = await colibri(place, ['doctor'], { env });
  return stdout + stderr;
};

/** No password, wherever it could have slipped to. */
export const expectNoPassword = (url: string, ...texts: string[]): void => {
  const { password } = new URL(url);
  expect(password.length).toBeGreaterThan(5);
  for (const text of texts) expect(text).not.toContain(password);
};
