// What the tests of quorums share: a server whose calls several voters must allow, and the processes of the voters.
import { join } from 'node:path';
import { expect } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import type { ClientKind, Message, Place } from '../support/serve.js';
import { onOwnTerminal } from './answering.js';
import {
  type ClientChoice,
  errorOf,
  type TrustClient,
  toolNamed,
  trustClient,
  untilListed,
  worldWith,
} from './places.js';

export const VOTERS = ['ada', 'bob', 'cyd'];
export const WIPE = toolNamed('wipe');
export const quorumOf = (of: readonly string[] = VOTERS, need = 2, more: Message = {}): Message => ({
  tools: { ask: ['wipe'] },
  ask: { quorum: { of, need }, ...more },
});

export const quorumWorld = (more: Message = quorumOf()) => worldWith([WIPE, toolNamed('look')], more);

export const keyFile = ({ home }: Place, name: string): string =>
  join(home, 'state', 'colibri', 'voters', `${name}.key`);

export const enrol = async (place: Place, names: readonly string[] = VOTERS): Promise<void> => {
  for (const name of names) {
    const added = await onOwnTerminal(place, ['voters', 'add', name]);
    expect(added, added.text).toMatchObject({ code: 0 });
  }
};

/** A process that votes as that voter, started by a client of its own. */
export const voter = (
  place: Place,
  name: string,
  kind: ClientKind = 'v2 modern',
  choice: ClientChoice = {},
): Promise<TrustClient> =>
  trustClient(place, kind, {
    name: `host-of-${name}`,
    ...choice,
    env: { COLIBRI_TOOLSETS: 'consensus', COLIBRI_VOTER_KEY: keyFile(place, name), ...choice.env },
  });

/** The data of a tool of ours, or its error. */
export const told = async (client: TrustClient, tool: string, args: Message): Promise<Message> => {
  const { ok, data, error } = (await client.call(tool, args)).structuredContent;
  if (ok === true) return data;
  // Pattern A: the code stands in the message.
  const [, code = error.code] = /^([A-Z_]+): /.exec(error.message) ?? [];
  return { ...error, code };
};

export const vote = (client: TrustClient, round_id: string, more: Message = {}): Promise<Message> =>
  told(client, 'consensus_vote', { round_id, vote: 'approve', ...more });

/** The requester, with the server's tool listed and the voters enrolled. */
export const requesterIn = async (
  place: Place,
  kind: ClientKind = 'v2 modern',
  choice: ClientChoice = {},
): Promise<TrustClient> => {
  const client = await trustClient(place, kind, { name: 'requester', ...choice });
  await untilListed(client, 'far__wipe');
  return client;
};

/** What a refused call of the tool says: the round that decides. */
export const roundFor = async (client: TrustClient, args: Message): Promise<Message> => {
  const error = errorOf(await client.call('far__wipe', args));
  expect(error?.code).toBe('APPROVAL_REQUIRED');
  return error?.details;
};

export const outcomeOf = async (client: TrustClient, args: Message): Promise<string> => {
  const answer = await client.call('far__wipe', args);
  return errorOf(answer)?.code ?? (answer.isError === true ? 'error' : 'called');
};

/** Waits until the log is signed over the decision of a round. */
export const untilHard = (client: TrustClient, round_id: string): Promise<void> =>
  eventually('the decision is signed', async () =>
    ['HARD', 'ABSOLUTE'].includes((await told(client, 'consensus_finality', { round_id })).level),
  );

export const verdictOf = async (place: Place): Promise<Message> => json(await colibri(place, ['verify', '--json']));
