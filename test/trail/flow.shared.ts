// What flow.test.ts and flow.deep.test.ts share: a session from its opening to its proof, for any kind of client.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { inspectLedger, rootOf } from '../support/ledger-check.js';
import { checkFile, checkRoot, keyOf, openNote } from '../support/naive-proof.js';
import { type ClientKind, connect, freshPlace, type Place } from '../support/serve.js';
import { type Answer, rowsOf, toolsOf } from '../support/trail-tools.js';

const CONTENTS = ['why', 'how: "quoted"\n\ttab', '日本語 🐦', 'd', 'e', 'f', 'g'];

const TYPES = ['plan', 'analysis', 'decision', 'reflection'];

/** Waits for a head beside the store that covers so many records. */
const headOf = async ({ home }: Place, log: string, size: number): Promise<void> => {
  const dir = join(home, 'state', 'colibri', 'heads', log);
  const isThere = () => existsSync(dir) && readdirSync(dir).some((name) => Number(name) >= size);
  for (let i = 0; i < 50 && !isThere(); i++) await sleep(100);
  expect(isThere()).toBe(true);
};

/** A session from its opening to its proof, for each kind of client. */
export const testTrail = (kinds: readonly ClientKind[]): void => {
  test.each(kinds)(
    'open, think, verify, seal, prove: %s',
    async (kind) => {
      const place = freshPlace();
      const client = await connect(place, kind);
      const tools = toolsOf(client);
      const { tools: offered } = await client.listTools();
      expect(offered.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['audit_session_start', 'thought_record', 'audit_verify_chain', 'merkle_root']),
      );
      const { task_id } = await tools.ok('task_create', { title: 'prove it' });
      const session = await tools.ok('audit_session_start', { intent: 'to see the whole way', task_id: '1' });
      expect(session).toMatchObject({ intent: 'to see the whole way', task_id, session_id: expect.any(String) });
      const { session_id } = session;

      const thoughts: Answer[] = [];
      for (const [i, content] of CONTENTS.entries()) {
        thoughts.push(await tools.ok('thought_record', { session_id, content, type: TYPES[i % 4] }));
      }
      expect(thoughts.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(thoughts.map(({ prev_hash }) => prev_hash)).toEqual([
        session.genesis_hash,
        ...thoughts.slice(0, -1).map(({ hash }) => hash),
      ]);
      const listed = await tools.ok('thought_record_list', { session_id, proof: true });
      expect(listed.thoughts.map(({ content }: Answer) => content)).toEqual(CONTENTS);
      expect(listed.thoughts.every((row: Answer) => row.agent_id === client.name && row.task_id === task_id)).toBe(
        true,
      );

      for (const scope of [{}, { session_id }, { task_id: 't-1' }]) {
        const verdict = await tools.ok('audit_verify_chain', scope);
        expect(verdict).toMatchObject({ valid: true, complete: true, broken_count: 0, first_broken_at: null });
        expect(verdict.not_checked.length).toBeGreaterThan(0);
        expect(verdict.custody.key).toEqual(expect.any(String));
      }

      expect((await tools.no('merkle_root', { session_id })).code).toBe('ERR_NOT_FINALIZED');
      const sealed = await tools.ok('merkle_finalize', { session_id });
      expect(sealed).toMatchObject({ session_id, record_count: 7, root: rootOf(thoughts.map(({ hash }) => hash)) });
      const log = /log\/([0-9a-f]{32})/.exec(sealed.checkpoint)?.[1] ?? '';
      const key = keyOf(place.db, log);
      expect(openNote(sealed.checkpoint, key).size).toBe(sealed.checkpoint_size);
      const [row] = rowsOf(place.db, 'SELECT seq, log_id FROM sessions WHERE session_id = ?', session_id);
      expect(row).toEqual({ log_id: log, seq: sealed.checkpoint_size - 1 });

      await headOf(place, log, sealed.checkpoint_size);
      for (const [i, { thought_id }] of thoughts.entries()) {
        const proved = await tools.ok('merkle_root', { session_id, thought_id });
        expect(checkRoot(proved, key)).toMatchObject({ thought_id, type: TYPES[i % 4], agent_id: client.name });
        expect(checkFile(proved.proof_file, key)).toBe(CONTENTS[i]);
        // Nothing twice: what the file contains does not stand beside it.
        expect(Object.keys(proved).toSorted()).toEqual([
          ...['finalized_at', 'proof_file', 'record_count', 'root', 'session_id'],
        ]);
      }
      const again = await tools.no('merkle_finalize', { session_id });
      expect(again.code).toBe('ERR_ALREADY_FINALIZED');
      const late = await tools.no('thought_record', { session_id, type: 'plan', content: 'one more' });
      expect(late).toMatchObject({ code: 'HANDLER_ERROR', message: expect.stringMatching(/^SESSION_FINALIZED: /) });
      expect(late.details.next).toEqual([
        { tool: 'thought_record', arguments: { type: 'plan', content: 'one more', task_id } },
      ]);
      expect(await tools.ok('audit_verify_chain', {})).toMatchObject({ valid: true, complete: true });
      await client.close();
      expect(inspectLedger(place.db).problems).toEqual([]);
      expect(checkSubjects(place.db)).toEqual([]);
    },
    60_000,
  );
};
