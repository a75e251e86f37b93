// Eight processes, one file, two thousand tasks: who gets what.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Peer, serve } from '../support/serve.js';
import type { Answer } from './task-tools.js';

const PROCESSES = 8;
const TASKS = 2_000;
/** Calls under way at once, per process. */
const IN_FLIGHT = 16;

const dataOf = (answer: Answer): Answer => {
  const { structuredContent } = answer.result;
  if (structuredContent.ok !== true) throw new Error(JSON.stringify(structuredContent));
  return structuredContent.data;
};

const fill = async (peer: Peer): Promise<string[]> => {
  const ids: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < TASKS) {
      const priority = ['urgent', 'high', 'normal', 'low'][next % 4];
      ids.push(dataOf(await peer.call('task_create', { title: `task ${next++}`, priority }, 30_000)).task_id);
    }
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  return ids;
};

/** Claims until there is nothing left; again where the store was busy. */
const claimAll = async (peer: Peer, who: string): Promise<Answer[]> => {
  const claimed: Answer[] = [];
  const worker = async (): Promise<void> => {
    for (;;) {
      const answer = await peer.call('task_next_actions', { claim_by: who, lease_minutes: 60 }, 60_000);
      const { structuredContent } = answer.result;
      if (structuredContent.error?.details?.retry_after_ms !== undefined) continue;
      const { actions, reason } = dataOf(answer);
      if (actions.length === 0) {
        expect(reason).toMatch(/^every task that could be worked on is leased; the first lease ends at 20/);
        return;
      }
      claimed.push({ ...actions[0], who });
      if (claimed.length > TASKS) throw new Error('more claims than tasks');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return claimed;
};

test('eight processes claim two thousand tasks: each goes out once, the ledger has one line of succession', async () => {
  const place = freshPlace();
  const peers = Array.from({ length: PROCESSES }, () => serve(place));
  await Promise.all(
    peers.map(async (peer, i) => {
      await peer.initialize(`client-${i}`);
      await peer.phase2(20_000);
    }),
  );
  const [first] = peers;
  if (first === undefined) throw new Error('no process');
  const ids = await fill(first);
  expect(new Set(ids).size).toBe(TASKS);
  const shares = await Promise.all(peers.map((peer, i) => claimAll(peer, `agent-${i}`)));
  const ended = await Promise.all(peers.map((peer) => peer.end()));
  expect(ended.every(({ code }) => code === 0)).toBe(true);

  const claimed = shares.flat();
  expect(claimed.map(({ task }) => task.task_id).sort()).toEqual(ids.toSorted());
  for (const { task, who } of claimed) expect(task.assignee).toBe(who);
  expect(new Set(claimed.map(({ lease_token }) => lease_token)).size).toBe(claimed.length);
  // Nobody was left out.
  expect(Math.min(...shares.map((share) => share.length))).toBeGreaterThan(0);

  const ledger = new Ledger(place.db);
  expect(ledger.logs).toHaveLength(1);
  const granted = ledger
    .ofKind('call.exit')
    .flatMap(({ subjects = [] }) => (subjects as Answer[]).filter(({ type }) => type === 'lease'));
  expect(granted.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  expect(checkSubjects(place.db)).toEqual([]);
}, 60_000);
