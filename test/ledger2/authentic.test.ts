// What somebody can do who can write the store's file and does not have the log's key, and what a holder of the key then sees.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/proof/canonical-json.js';
import { verifyStore } from '../../src/verify/verify.js';
import { colibri, headsDir, keysDir, rows, type Used, usedStore } from '../support/command-line.js';
import { forgeTail, type MacChoice } from '../support/forged-tail.js';
import { serve } from '../support/serve.js';

const kindsOf = (list: readonly { kind: string }[]): string[] => [...new Set(list.map(({ kind }) => kind))];

const AT = '2026-11-15T18:30:00.123Z';
const GAP = { kind: 'gap', count: 3, first_at: AT, last_at: AT, reason: 'backlog full' };

/** The tails that a forger would like to see believed. */
const TAILS: Readonly<Record<string, (used: Used) => readonly JsonObject[]>> = {
  'an erasure of every thought': ({ thought, note }) => [
    { kind: 'erase', targets: [thought, note].map((id) => ({ type: 'thought', id })), reason: 'r', by: 'b' },
  ],
  'a gap': () => [GAP],
  'a pruning': () => [{ kind: 'prune', before: AT, from_seq: 0, to_seq: 0, count: 0 }],
  '3,000 records': () => Array.from({ length: 3_000 }, () => GAP),
};

describe('a tail that was appended without the key', () => {
  it('is found, whatever it says and whatever stands for the MAC', async () => {
    const used = await usedStore();
    const { place } = used;
    for (const [name, tail] of Object.entries(TAILS)) {
      for (const mac of ['leave', 'null', 'random'] as const satisfies readonly MacChoice[]) {
        const path = join(place.dir, `${name} ${mac}.db`);
        copyFileSync(place.db, path);
        forgeTail(path, () => tail(used), { mac });
        const keys = { dir: keysDir(place) };
        const verdict = await verifyStore({
          path,
          scope: { kind: 'store' },
          headsDir: headsDir(place),
          keys,
          workers: 0,
        });
        expect([name, mac, verdict.exit]).toEqual([name, mac, 20]);
        expect(kindsOf(verdict.findings)).toContain('authentic');
        expect(verdict.unsigned).toMatchObject([{ records: tail(used).length, authentic: false }]);
      }
    }
  });

  it('is neither continued nor signed by the next start', async () => {
    const used = await usedStore();
    const { place } = used;
    const before = rows(place, 'SELECT size FROM checkpoints ORDER BY no DESC LIMIT 1');
    forgeTail(place.db, () => [GAP]);
    const size = rows(place, 'SELECT size FROM logs');
    const peer = serve(place);
    await peer.initialize('t');
    const answer = await peer.call('task_list', {});
    expect(JSON.stringify(answer)).toContain('STORE_CORRUPT');
    await peer.end();
    expect(rows(place, 'SELECT size FROM logs')).toEqual(size);
    expect(rows(place, 'SELECT size FROM checkpoints ORDER BY no DESC LIMIT 1')).toEqual(before);
    for (const command of [['checkpoint'], ['prove', '3'], ['erase', used.thought, '--reason', 'r', '--yes']]) {
      const ran = await colibri(place, command);
      expect([command[0], ran.code === 0 && command[0] !== 'prove']).toEqual([command[0], false]);
    }
    expect(rows(place, 'SELECT size FROM checkpoints ORDER BY no DESC LIMIT 1')).toEqual(before);
  });

  it('stops a process that runs', async () => {
    const used = await usedStore();
    const { place } = used;
    const peer = serve(place);
    await peer.initialize('t');
    await peer.phase2();
    await peer.call('task_create', { title: 'before' });
    forgeTail(place.db, () => [GAP]);
    const size = rows(place, 'SELECT size FROM logs');
    // The first call finds it when its records are to be written; its answer carries no receipt, and nothing runs after it.
    expect(JSON.stringify(await peer.call('task_list', {}))).not.toContain('receipt');
    expect(JSON.stringify(await peer.call('task_list', {}))).toContain('STORE_CORRUPT');
    expect(JSON.stringify(await peer.call('task_create', { title: 'after' }))).toContain('STORE_CORRUPT');
    await peer.end();
    expect(rows(place, 'SELECT size FROM logs')).toEqual(size);
  });
});
