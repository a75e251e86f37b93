// The whole way on the wire, with the clients people use: open, think, verify, seal, prove. Proofs are checked by code
// that knows only their description.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { inspectLedger, rootOf } from '../support/ledger-check.js';
import { checkFile, checkRoot, keyOf, openNote } from '../support/naive-proof.js';
import { CLIENT_KINDS, connect, freshPlace, type Place } from '../support/serve.js';
import { type Answer, codeOf, rowsOf, started, toolsOf } from '../support/trail-tools.js';

const CONTENTS = ['why', 'how: "quoted"\n\ttab', '日本語 🐦', 'd', 'e', 'f', 'g'];
const TYPES = ['plan', 'analysis', 'decision', 'reflection'];

/** Waits for a head beside the store that covers so many records. */
const headOf = async ({ home }: Place, log: string, size: number): Promise<void> => {
  const dir = join(home, 'state', 'colibri', 'heads', log);
  const isThere = () => existsSync(dir) && readdirSync(dir).some((name) => Number(name) >= size);
  for (let i = 0; i < 50 && !isThere(); i++) await sleep(100);
  expect(isThere()).toBe(true);
};

test.each(CLIENT_KINDS)(
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
    const listed = await tools.ok('thought_record_list', { session_id });
    expect(listed.thoughts.map(({ content }: Answer) => content)).toEqual(CONTENTS);
    expect(listed.thoughts.every((row: Answer) => row.agent_id === client.name && row.task_id === task_id)).toBe(true);

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

test('a proof that was touched does not hold', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const { session_id } = await tools.ok('audit_session_start', { intent: 'i' });
  const thoughts = [];
  for (const content of ['a', 'b', 'c'])
    thoughts.push(await tools.ok('thought_record', { session_id, type: 'plan', content }));
  await tools.ok('merkle_finalize', { session_id });
  const proved = await tools.ok('merkle_root', { session_id, thought_id: thoughts[1]?.thought_id });
  const key = keyOf(place.db, JSON.parse(proved.proof.seal.record).log);
  checkRoot(proved, key);
  const { thought, seal } = proved.proof;
  const broken: Answer[] = [
    { ...proved, root: thought.leaf },
    { ...proved, checkpoint: proved.checkpoint.replace(/\n\d+\n/, '\n7\n') },
    { ...proved, proof: { seal, thought: { ...thought, record: thought.record.replace('plan', 'plax') } } },
    { ...proved, proof: { seal, thought: { ...thought, index: 0 } } },
    { ...proved, proof: { seal, thought: { ...thought, path: thought.path.toReversed() } } },
    {
      ...proved,
      proof: { thought, seal: { ...seal, record: seal.record.replace('"record_count":3', '"record_count":4') } },
    },
    { ...proved, proof: { thought, seal: { ...seal, path: seal.path.slice(1) } } },
  ];
  for (const [i, answer] of broken.entries()) expect(() => checkRoot(answer, key), `case ${i}`).toThrow();
});

test('a thought too long for a result is proved without its file, and the command is named', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const { session_id } = await tools.ok('audit_session_start', { intent: 'i' });
  const content = 'x'.repeat(65_536);
  const { thought_id } = await tools.ok('thought_record', { session_id, type: 'plan', content });
  await tools.ok('merkle_finalize', { session_id });
  const answer = await tools.call('merkle_root', { session_id, thought_id });
  expect(answer.data).toMatchObject({ proof_file: null, proof_file_hint: `colibri prove ${thought_id}` });
  expect(JSON.stringify(answer).length).toBeLessThan(24 * 1024);
  checkRoot(answer.data, keyOf(place.db, JSON.parse(answer.data.proof.seal.record).log));
  // Whole, and longer than any other result may be.
  const { thoughts } = await tools.ok('thought_record_list', { thought_id });
  expect(thoughts).toMatchObject([{ thought_id, content, content_chars: 65_536 }]);
});

test('READONLY reads, verifies and proves; what writes is not there', async () => {
  const place = freshPlace();
  const writer = await started(place);
  const { session_id } = await writer.ok('audit_session_start', { intent: 'i', session_id: 'kept' });
  const { thought_id } = await writer.ok('thought_record', { session_id, type: 'plan', content: 'c' });
  await writer.ok('merkle_finalize', { session_id });
  await writer.ok('audit_session_start', { intent: 'open', session_id: 'open' });
  await writer.ok('thought_record', { session_id: 'open', type: 'plan', content: 'c' });
  await writer.peer.end();
  const reader = await started(place, 'raw', { COLIBRI_MODE: 'READONLY' });
  const { result } = await reader.peer.request('tools/list');
  const names: string[] = result.tools.map(({ name }: Answer) => name);
  expect(names.filter((name) => /^(audit|thought|merkle)_/.test(name)).toSorted()).toEqual([
    'audit_verify_chain',
    'merkle_root',
    'thought_record_list',
  ]);
  expect((await reader.ok('thought_record_list', {})).thoughts).toHaveLength(2);
  expect(await reader.ok('audit_verify_chain', {})).toMatchObject({ valid: true, complete: true });
  const proved = await reader.ok('merkle_root', { session_id, thought_id });
  checkRoot(proved, keyOf(place.db, JSON.parse(proved.proof.seal.record).log));
  const open = await reader.no('merkle_root', { session_id: 'open' });
  expect(codeOf(open)).toBe('ERR_NOT_FINALIZED');
  for (const { tool, arguments: args } of open.details.next) await reader.ok(tool, args);
  for (const tool of ['audit_session_start', 'thought_record', 'merkle_finalize']) {
    expect((await reader.no(tool, { session_id })).code).toBe('TOOL_NOT_ADMITTED');
  }
}, 30_000);
