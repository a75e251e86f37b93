// What the tests of consensus share: calls of its tools, and what a bundle holds.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { AnyClient, Message } from '../support/serve.js';

export const CONSENSUS = { COLIBRI_TOOLSETS: 'consensus' };

/** The data of an answer, or `{refused: error}`. */
export const ask = async (client: AnyClient, tool: string, args: Message = {}): Promise<Message> => {
  const { ok, data, error } = (await client.callTool(tool, args)).structuredContent;
  return ok === false ? { refused: error } : data;
};

export const propose = (client: AnyClient, args: Message): Promise<Message> => ask(client, 'consensus_propose', args);

export const vote = (client: AnyClient, round_id: string, voter: string, word = 'approve'): Promise<Message> =>
  ask(client, 'consensus_vote', { round_id, voter, vote: word });

export const finality = (client: AnyClient, round_id: string): Promise<Message> =>
  ask(client, 'consensus_finality', { round_id });

/** Asks for a round until `isThere` says yes: draws and levels wait for the next signature of the log. */
export const untilFinality = async (
  client: AnyClient,
  round_id: string,
  isThere: (round: Message) => boolean,
): Promise<Message> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const round = await finality(client, round_id);
    if (isThere(round)) return round;
    await sleep(50);
  }
  throw new Error(`round ${round_id} never got there`);
};

/** The signed statements in a bundle. */
export const eventsOf = (bundle: string): Message[] => JSON.parse(bundle).body.events;

/** What a bundle holds, as a set. */
export const setOf = (bundle: string): string[] =>
  eventsOf(bundle)
    .map(({ body, sig }) => `${body.kind} ${sig}`)
    .sort();

export const refusedCode = (answer: Message): string => {
  expect(answer.refused?.code).toBe('HANDLER_ERROR');
  return String(answer.refused.message).split(':')[0] ?? '';
};
