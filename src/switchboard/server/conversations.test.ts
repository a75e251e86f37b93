// Tests questions of servers in cases that are hard to produce over the wire: several calls at once, clients that do not answer.
import { expect, it, vi } from 'vitest';
import type { TriedAnswer } from '../../call/answer.js';
import type { Peer, Retry } from '../../call/peer.js';
import type { OnwardRequest } from '../../call/request.js';
import { cancelledBy } from '../../core/cancellation.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { Conversations } from './conversations.js';
import { InputSeal } from './input-state.js';
import type { Question } from './questions.js';

const ALL = { roots: {}, sampling: {}, elicitation: {} };
const SENT = { sent: true, durationMs: 1 } as const;
/** What is asked for: a state is bound to it. */
const ABOUT = 'same';
const DONE: TriedAnswer = { kind: 'result', result: { content: [] }, tries: [{ how: 'result', ...SENT }] };

const peerOf = (era: Peer['era'], answer: (method: string) => Promise<JsonObject> = async () => ({})): Peer => ({
  era,
  capabilities: ALL,
  logLevel: undefined,
  notify: () => {},
  ask: (method) => answer(method),
});

const rig = (client: Peer, isInteractive = false) => {
  const timers: { readonly ms: number; readonly fire: () => void }[] = [];
  const put: Question[] = [];
  const conversations = new Conversations({
    server: 'far',
    onAsked: (question) => void put.push(question),
    seal: new InputSeal(),
    client: () => client,
    isInteractive: () => isInteractive,
    setTimer: (ms, fire) => {
      const timer = { ms, fire };
      timers.push(timer);
      return { cancel: () => void timers.splice(timers.indexOf(timer), 1) };
    },
    warn: () => {},
    nowMs: () => 0,
  });
  let last = 0;
  const request = (more: Partial<OnwardRequest> = {}): OnwardRequest => ({ id: `c${++last}`, peer: client, ...more });
  return { conversations, timers, request, put };
};

/** Runs a request with a server whose answers are promised. */
const run = (
  conversations: Conversations,
  asked: OnwardRequest,
  about: unknown,
  answer: (request: OnwardRequest, extra?: JsonObject) => Promise<TriedAnswer>,
): Promise<TriedAnswer> =>
  new Promise((resolve) =>
    conversations.run(
      { request: asked, about, send: (request, extra, done) => void answer(request, extra).then(done) },
      resolve,
    ),
  );

/** A server that asks one thing in the middle of a call. */
const asking = (conversations: Conversations, method = 'elicitation/create') => {
  const answers: unknown[] = [];
  const send = async ({ cancellation }: OnwardRequest): Promise<TriedAnswer> => {
    const answer = await conversations
      .answer(method, { m: 1 }, new AbortController().signal)
      .catch((error: unknown) => error);
    answers.push(answer);
    return cancellation?.aborted === true
      ? { kind: 'error', error: { code: 1, message: 'cancelled' }, tries: [] }
      : DONE;
  };
  return { send, answers };
};

const inputOf = (reply: TriedAnswer) => {
  if (reply.kind !== 'input') throw new Error(`no question: ${JSON.stringify(reply)}`);
  return reply.result as { readonly inputRequests: JsonObject; readonly requestState: string };
};

const retryOf = (reply: TriedAnswer, answer: JsonObject): Retry => {
  const { inputRequests, requestState } = inputOf(reply);
  return { requestState, inputResponses: Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer])) };
};

it('suspends a call and goes on with the answer, once', async () => {
  const { conversations, timers, request, put } = rig(peerOf('modern'));
  const { send, answers } = asking(conversations);
  const first = await run(conversations, request(), ABOUT, send);
  const params = { m: 1, message: 'The MCP server "far" asks:' };
  expect(inputOf(first).inputRequests).toEqual({ q1: { method: 'elicitation/create', params } });
  expect(put).toEqual([{ server: 'far', method: 'elicitation/create', call: 'c1' }]);
  expect(timers).toMatchObject([{ ms: 600_000 }]);
  const retry = retryOf(first, { action: 'accept' });
  expect(await run(conversations, request({ retry }), ABOUT, send)).toBe(DONE);
  expect(answers).toEqual([{ action: 'accept' }]);
  expect(timers).toEqual([]);
  // A state is good for one try.
  expect(await run(conversations, request({ retry }), ABOUT, send)).toMatchObject({
    kind: 'error',
    error: { code: -32602 },
  });
});

it('asks again for what the client left out', async () => {
  const { conversations, request } = rig(peerOf('modern'));
  const { send, answers } = asking(conversations);
  const first = await run(conversations, request(), ABOUT, send);
  const again = await run(
    conversations,
    request({ retry: { ...retryOf(first, {}), inputResponses: {} } }),
    ABOUT,
    send,
  );
  expect(inputOf(again).inputRequests).toEqual(inputOf(first).inputRequests);
  await run(conversations, request({ retry: retryOf(again, { action: 'decline' }) }), ABOUT, send);
  expect(answers).toEqual([{ action: 'decline' }]);
});

it('refuses a state that is forged or of another request', async () => {
  const { conversations, request } = rig(peerOf('modern'));
  const { send } = asking(conversations);
  const retry = retryOf(await run(conversations, request(), ABOUT, send), {});
  const refused = { kind: 'error', error: { code: -32602, data: { reason: 'invalid_request_state' } } };
  expect(await run(conversations, request({ retry }), 'other', send)).toMatchObject(refused);
  expect(await run(conversations, request({ retry: { ...retry, requestState: 'forged' } }), ABOUT, send)).toMatchObject(
    refused,
  );
});

it('gives up a client that does not come back, and cancels its call', async () => {
  const { conversations, timers, request } = rig(peerOf('modern'));
  const { send, answers } = asking(conversations);
  const retry = retryOf(await run(conversations, request(), ABOUT, send), {});
  timers[0]?.fire();
  expect(await run(conversations, request({ retry }), ABOUT, send)).toMatchObject({ error: { code: -32602 } });
  await vi.waitFor(() => expect(conversations.peers).toEqual([]));
  expect(answers).toMatchObject([{ code: -32603 }]);
});

it('lets go of a question that the server takes back', async () => {
  const { conversations, request } = rig(peerOf('modern'));
  const taken = new AbortController();
  let asked: Promise<unknown> = Promise.resolve();
  let answer = (_reply: TriedAnswer): void => {};
  const send = (): Promise<TriedAnswer> => {
    asked = conversations.answer('elicitation/create', {}, taken.signal);
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const retry = retryOf(await run(conversations, request(), ABOUT, send), { action: 'accept' });
  taken.abort();
  await expect(asked).rejects.toThrow('withdrew its question');
  const ending = run(conversations, request({ retry }), ABOUT, send);
  answer(DONE);
  expect(await ending).toBe(DONE);
});

it('lets go of a question when the client cancels the call that it was put to', async () => {
  const client: Peer = {
    ...peerOf('legacy'),
    ask: (_method, _params, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled')))),
  };
  const { conversations, request } = rig(client);
  const { send, answers } = asking(conversations);
  const cancelled = new AbortController();
  const ending = run(conversations, request({ cancellation: cancelledBy(cancelled.signal) }), ABOUT, send);
  cancelled.abort();
  await ending;
  expect(answers).toEqual([new Error('cancelled')]);
});

it('does not guess which of several calls a question belongs to, unless it may', async () => {
  for (const isInteractive of [false, true]) {
    const { conversations, request } = rig(peerOf('modern'), isInteractive);
    let end = (_reply: TriedAnswer): void => {};
    const idle = run(conversations, request(), ABOUT, () => new Promise<TriedAnswer>((resolve) => (end = resolve)));
    const { send, answers } = asking(conversations);
    const second = run(conversations, request(), ABOUT, send);
    if (isInteractive) {
      // It is put to the one that has been waiting longest.
      const retry = retryOf(await idle, { action: 'accept' });
      const next = run(conversations, request({ retry }), ABOUT, send);
      await second;
      end(DONE);
      await next;
      expect(answers).toEqual([{ action: 'accept' }]);
    } else {
      await second;
      expect(answers).toEqual([{ action: 'decline' }]);
      end(DONE);
      await idle;
    }
  }
});

it('is not kept from asking by a client that does not come back', async () => {
  const { conversations, request } = rig(peerOf('modern'));
  const abandoned = asking(conversations);
  inputOf(await run(conversations, request(), ABOUT, abandoned.send));
  const { send, answers } = asking(conversations);
  const retry = retryOf(await run(conversations, request(), ABOUT, send), { action: 'accept' });
  await run(conversations, request({ retry }), ABOUT, send);
  expect(answers).toEqual([{ action: 'accept' }]);
  expect(abandoned.answers).toEqual([]);
});

it('puts questions that come at once to the client together', async () => {
  const { conversations, request } = rig(peerOf('modern'));
  const never = new AbortController().signal;
  const send = async (): Promise<TriedAnswer> => {
    await Promise.all([
      conversations.answer('roots/list', {}, never),
      conversations.answer('elicitation/create', {}, never),
    ]);
    return DONE;
  };
  const first = await run(conversations, request(), ABOUT, send);
  expect(Object.keys(inputOf(first).inputRequests)).toEqual(['q1', 'q2']);
  expect(await run(conversations, request({ retry: retryOf(first, {}) }), ABOUT, send)).toEqual(DONE);
});

it('asks nobody for what the client cannot do', async () => {
  const { conversations, request } = rig({ ...peerOf('legacy'), capabilities: { roots: {} } });
  const { send, answers } = asking(conversations, 'sampling/createMessage');
  await run(conversations, request(), ABOUT, send);
  expect(answers).toMatchObject([{ code: -32601 }]);
});

it('goes in rounds for a client of the old era, up to a bound', async () => {
  const asked: string[] = [];
  const { conversations, request } = rig(
    peerOf('legacy', async (method) => {
      asked.push(method);
      return { n: asked.length };
    }),
  );
  const sent: { readonly id: string; readonly extra: JsonObject | undefined }[] = [];
  const needs: TriedAnswer = {
    kind: 'result',
    result: { resultType: 'input_required', requestState: 's', inputRequests: { a: { method: 'roots/list' } } },
    tries: [{ how: 'input', ...SENT }],
  };
  const send = async ({ id }: OnwardRequest, extra?: JsonObject): Promise<TriedAnswer> => {
    sent.push({ id, extra });
    return sent.length < 3 ? needs : DONE;
  };
  const { tries, ...reply } = await run(conversations, request(), ABOUT, send);
  expect(reply).toEqual({ kind: DONE.kind, result: { content: [] } });
  expect(tries.map(({ how }) => how)).toEqual(['input', 'input', 'result']);
  expect(sent.map(({ extra }) => extra)).toEqual([
    undefined,
    { inputResponses: { a: { n: 1 } }, requestState: 's' },
    { inputResponses: { a: { n: 2 } }, requestState: 's' },
  ]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(3);
  expect(await run(conversations, request(), ABOUT, async () => needs)).toMatchObject({
    kind: 'error',
    error: { code: -32603 },
  });
  expect(asked).toHaveLength(2 + 8);
});

it('asks nothing outside a call but for roots', async () => {
  const { conversations, put } = rig(peerOf('legacy'));
  const { signal } = new AbortController();
  for (const method of ['elicitation/create', 'sampling/createMessage'])
    await expect(conversations.answer(method, {}, signal)).rejects.toMatchObject({ code: -32_600 });
  expect(await conversations.answer('roots/list', {}, signal)).toEqual({});
  expect(put).toEqual([]);
});

it('has at most eight questions of one server open', async () => {
  let asked = 0;
  const answers: ((answer: JsonObject) => void)[] = [];
  const { conversations, request } = rig(
    peerOf('legacy', () => {
      asked += 1;
      return new Promise((resolve) => answers.push(resolve));
    }),
  );
  const { signal } = new AbortController();
  let end = (_reply: TriedAnswer): void => {};
  const call = run(conversations, request(), ABOUT, () => new Promise((resolve) => (end = resolve)));
  const questions = Array.from({ length: 1_500 }, () =>
    conversations.answer('elicitation/create', {}, signal).catch(() => 'no'),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toBe(8);
  for (const answer of answers.splice(0)) answer({ action: 'decline' });
  expect((await Promise.all(questions)).filter((answer) => answer !== 'no')).toHaveLength(8);
  const next = conversations.answer('sampling/createMessage', {}, signal);
  answers[0]?.({});
  expect(await next).toEqual({});
  end(DONE);
  await call;
});

it.each(['legacy', 'modern'] as const)('a %s client is not handed 1,500 questions in one answer', async (era) => {
  const { conversations, request, put } = rig(peerOf(era));
  const inputRequests = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, at) => [`q${at}`, { method: 'elicitation/create', params: {} }]),
  );
  const result = { resultType: 'input_required', inputRequests };
  const reply = await run(conversations, request(), ABOUT, async () => ({ kind: 'result', result, tries: [] }));
  expect(reply).toMatchObject({ kind: 'error', error: { message: expect.stringContaining('1500 questions at once') } });
  expect(put).toEqual([]);
});
