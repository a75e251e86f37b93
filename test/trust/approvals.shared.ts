// What approvals.test.ts and approvals.deep.test.ts share: a tool that is called only after a person's yes, through every door.
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import type { ClientKind, Message } from '../support/serve.js';
import { approvalsOf, approve, deny } from './answering.js';
import { type Elicited, errorOf, recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

export const YES: Elicited = { action: 'accept', content: { answer: 'yes' } };
const NO: Elicited = { action: 'accept', content: { answer: 'no', why: 'not that one' } };
const CANCEL: Elicited = { action: 'cancel' };

const idOf = (answer: Message): string => errorOf(answer)?.details.approval_id ?? '';
const codeOf = (answer: Message): string => errorOf(answer)?.code ?? 'called';

/** The four doors to a tool: each calls it with the same arguments. */
const DOORS: Readonly<Record<string, (args: Message) => readonly [string, Message]>> = {
  direct: (args) => ['far__wipe', args],
  route: (args) => ['clean', args],
  router_call: (args) => ['router_call', { server: 'far', tool: 'wipe', arguments: args }],
  router_fallback: (args) => ['router_fallback', { route: 'clean', arguments: args }],
};

const WIPE = toolNamed('wipe', { annotations: { destructiveHint: true } });
const LOOK = toolNamed('look', { annotations: { readOnlyHint: true } });

const askingWorld = (more: Message = {}) => {
  const world = worldWith([WIPE, LOOK]);
  const entry = world.entry({ tools: { ask: 'destructive' }, ...more });
  world.board({ far: entry }, { routes: { clean: [{ server: 'far', tool: 'wipe' }] } });
  return world;
};

/** Yes, no and nothing, by the form in the client, and by the command. */
export const testDoors = (kinds: readonly ClientKind[], doors = Object.keys(DOORS)): void => {
  test.each(kinds)('a %s client: asked in the client and by the command, at every door', async (kind) => {
    const world = askingWorld();
    const { place } = world;
    const answers: Elicited[] = [];
    const questions: Message[] = [];
    const client = await trustClient(place, kind, {
      onQuestion: (params) => {
        questions.push(params);
        return answers.shift() ?? CANCEL;
      },
    });
    await untilListed(client, 'far__wipe');
    expect(codeOf(await client.call('far__look'))).toBe('called');
    expect(questions).toEqual([]);
    let calls = 1;
    for (const door of doors) {
      const call = (path: string) => {
        const [name, args] = (DOORS[door] as (typeof DOORS)[string])({ path: `${door} ${path}` });
        return client.call(name, args);
      };
      answers.push(YES);
      expect([door, codeOf(await call('yes'))]).toEqual([door, 'called']);
      calls += 1;
      expect(questions.at(-1)?.message).toContain(`path: "${door} yes"`);
      // Used up: the same call asks again. Closing the question leaves it asked, under the same id.
      const closed = await call('yes');
      expect([door, codeOf(closed)]).toEqual([door, 'APPROVAL_REQUIRED']);
      const again = await call('yes');
      expect([door, codeOf(again), idOf(again)]).toEqual([door, 'APPROVAL_REQUIRED', idOf(closed)]);
      answers.push(NO);
      const denied = await call('yes');
      expect(errorOf(denied)).toMatchObject({ code: 'APPROVAL_DENIED', details: { reason: 'not that one' } });
      const asked = questions.length;
      expect(codeOf(await call('yes'))).toBe('APPROVAL_DENIED');
      expect(questions.length).toBe(asked);

      const waits = await call('command');
      const id = idOf(waits);
      expect((await colibri(place, ['approvals'])).stdout).toContain(`path: "${door} command"`);
      expect(await approve(place, id)).toMatchObject({ code: 0, text: expect.stringContaining('Allowed, once') });
      // For other arguments it is worth nothing, nor is it for another door's.
      expect(codeOf(await call('other'))).toBe('APPROVAL_REQUIRED');
      expect([door, codeOf(await call('command'))]).toEqual([door, 'called']);
      calls += 1;
      expect(codeOf(await call('command'))).toBe('APPROVAL_REQUIRED');
      expect(await approve(place, id)).toMatchObject({ code: 1, text: expect.stringContaining('used') });

      const no = await call('denied');
      expect(await deny(place, idOf(no), 'keep it')).toMatchObject({ code: 0 });
      expect(errorOf(await call('denied'))).toMatchObject({ code: 'APPROVAL_DENIED', details: { reason: 'keep it' } });
      expect([door, world.calls().length]).toEqual([door, calls]);
    }
    await client.close();
    const used = recordsOf(place, 'approval').filter(({ state }) => state === 'used');
    expect(used.map(({ via, claimed }) => [via, claimed])).toEqual(
      doors.flatMap(() => [
        ['elicitation', true],
        ['command', undefined],
      ]),
    );
    const named = recordsOf(place, 'call.exit').flatMap(({ call, route }) =>
      (route?.attempts ?? []).flatMap(({ approval }: Message) => (approval === undefined ? [] : [[call, approval]])),
    );
    expect(named).toEqual(used.map(({ call, approval_id }) => [call, approval_id]));
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
};

/** What an approval is not worth: it is for exactly one call of exactly this. */
export const testExact = (kinds: readonly ClientKind[]): void => {
  test.each(kinds)('a %s client: not for another secret, definition or project', async (kind) => {
    const world = askingWorld();
    const { place } = world;
    const client = await trustClient(place, kind);
    await untilListed(client, 'far__wipe');
    // Both secrets are the same in every record.
    const secret = (last: string) => ({ path: 'x', token: `ghp_${'a'.repeat(35)}${last}` });
    const asked = await client.call('far__wipe', secret('1'));
    expect(errorOf(asked)?.details.how).toContain('colibri approve');
    expect((await approve(place, idOf(asked))).code).toBe(0);
    const other = await client.call('far__wipe', secret('2'));
    expect([codeOf(other), idOf(other) === idOf(asked)]).toEqual(['APPROVAL_REQUIRED', false]);
    const shown = await approvalsOf(place);
    expect(JSON.stringify(shown)).not.toContain('ghp_a');

    world.list([{ ...WIPE, description: 'Also tells everybody.' }, LOOK]);
    await eventually('the change is noticed', async () => {
      await client.list();
      return (await untilListed(client, 'far__wipe')).description === 'Also tells everybody.';
    });
    expect(codeOf(await client.call('far__wipe', secret('1')))).toBe('APPROVAL_REQUIRED');
    world.list([WIPE, LOOK]);
    await eventually(
      'it is as it was',
      async () => (await untilListed(client, 'far__wipe')).description === 'Does wipe.',
    );
    expect(world.calls()).toEqual([]);
    // The yes was for that definition, and is still there.
    expect(codeOf(await client.call('far__wipe', secret('1')))).toBe('called');
    await client.close();
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
};
