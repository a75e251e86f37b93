// Prompts and resources of a server that is starting: a request waits for it as a call of its tool does, and a refusal names its state.
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, modernMeta, type Peer, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

const ERAS = ['legacy', 'modern'] as const;

const opened = async (era: (typeof ERAS)[number], slowMs: number): Promise<{ peer: Peer; ask: Ask }> => {
  const place = freshPlace();
  writeBoard(place, { slow: fakeServer('slow-lists', { SLOW_MS: String(slowMs) }), quick: fakeServer('plain') });
  const peer = serve(place);
  await peer.phase2();
  if (era === 'legacy') await peer.initialize();
  const _meta = era === 'modern' ? { _meta: modernMeta('lists') } : {};
  return { peer, ask: (method, params = {}) => peer.request(method, { ...params, ..._meta }) };
};

type Ask = (method: string, params?: Message) => Promise<Message>;

export const startingLists = (...eras: (typeof ERAS)[number][]): void =>
  describe.each(eras)('%s', (era) => {
    test('a request waits for a server that starts within two seconds', { timeout: 30_000 }, async () => {
      const { ask } = await opened(era, 1_000);
      const [prompt, resource] = await Promise.all([
        ask('prompts/get', { name: 'slow__greet' }),
        ask('resources/read', { uri: 'slow://one' }),
      ]);
      expect(prompt.result?.messages[0].content.text).toBe('Hello.');
      expect(resource.result?.contents[0].text).toBe('one');
    });

    test('a refusal names the server and its state', { timeout: 30_000 }, async () => {
      const { peer, ask } = await opened(era, 4_000);
      const began = performance.now();
      const asked: readonly (readonly [string, Message])[] = [
        ['prompts/get', { name: 'slow__greet' }],
        ['resources/read', { uri: 'slow://one' }],
        [
          'completion/complete',
          { ref: { type: 'ref/prompt', name: 'slow__greet' }, argument: { name: 'a', value: '' } },
        ],
      ];
      for (const { error } of await Promise.all(asked.map(([method, params]) => ask(method, params)))) {
        expect(error).toMatchObject({
          code: -32_603,
          message: expect.stringMatching(/slow, which is STARTING: it is starting\. Try again in \d s\.$/),
          data: { code: 'TOOL_UNAVAILABLE', server: 'slow', state: 'STARTING', retry_after_ms: expect.any(Number) },
        });
        expect(error.message).not.toMatch(/no such|there is no/i);
      }
      expect(performance.now() - began).toBeLessThan(6_000);
      await peer.until(() => peer.stderr.includes('slow: STARTING → HEALTHY'));
      await eventually(
        'it is there',
        async () => (await ask('prompts/get', { name: 'slow__greet' })).error === undefined,
      );
      // Now all lists are known.
      const { error } = await ask('prompts/get', { name: 'slow__gret' });
      expect(error).toMatchObject({ code: -32_602, message: 'There is no prompt slow__gret' });
    });
  });
