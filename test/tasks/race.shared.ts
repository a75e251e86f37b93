// What race.test.ts and race.deep.test.ts share: several processes on one file claim all tasks there are.
import { expect } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Peer, serve } from '../support/serve.js';
import type { Answer } from './task-tools.js';

/** Calls under way at once, per process. */
const IN_FLIGHT = 16;

const dataOf = (answer: Answer): Answer => {
  const { structuredContent } = answer.result;
  if (structuredContent.ok !== true) throw new Error(JSON.stringify(structuredContent));
  return structuredContent.data;
};

const fill = async (peer: Peer, tasks: number): Promise<string[]> => {
  const ids: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < tasks) {
      const priority = ['urgent', 'high', 'normal', 'low'][next % 4];
      ids.push(dataOf(await peer.call('task_create', { title: `task ${next++}`, priority }, 30_000)).task_id);
    }
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  return ids;
};

/** Claims until there is nothing left; again where the store was busy. */
const claimAll = async (peer: Peer, who: string, tasks: number): Promise<Answer[]> => {
  const claimed: Answer[] = [];
  const worker = async (): Promise<void> => {
    for (;;) {
      const answer = await peer.call('task_next_actions', { claim_by: who, lease_minutes: 60, another: true }, 60_000);
      const { structuredContent } = answer.result;
      if (structuredContent.error?.details?.retry_after_ms !== undefined) continue;
      const { actions, reason } = dataOf(answer);
      if (actions.length === 0) {
        expect(reason).toMatch(/^every task that could be worked on is leased; the first lease ends at 20/);
        return;
      }
      claimed.push({ ...actions[0], who });
      if (claimed.length > tasks) throw new Error('more claims than tasks');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return claimed;
};

/** Each task goes out once, everybody gets some, and the ledger has one line of succession. */
export const raceForTasks = async (processes: number, tasks: number): Promise<void> => {
  const place = freshPlace();
  const peers = Array.from({ length: processes }, () => serve(place));
  await Promise.all(
    peers.map(async (peer, i) => {
      await peer.initialize(`client-${i}`);
      await peer.phase2(20_000);
    }),
  );
  const [first] = peers;
  if (first === undefined) throw new Error('no process');
  const ids = await fill(first, tasks);
  expect(new Set(ids).size).toBe(tasks);
  const shares = await Promise.all(peers.map((peer, i) => claimAll(peer, `agent-${i}`, tasks)));
  const ended = await Promise.all(peers.map((peer) => peer.end()));
  expect(ended.every(({ code }) => code === 0)).toBe(true);

  const claimed = shares.flat();
  expect(claimed.map(({ task }) => task.task_id).sort()).toEqual(ids.toSorted());
  for (const { task, who } of claimed) expect([task.assignee, task.lease.holder]).toEqual([null, who]);
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
};
