// colibri log: what was called, one line each; one call in full; why it went as it went; and following along.
import { expect, vi } from 'vitest';
import { deepDescribe, deepTest, describe, test } from '../support/by-gate.js';
import { colibri, json, rows, usedStore } from '../support/command-line.js';
import { appendRecords, expectFits, Running } from '../support/command-output.js';
import { calls, listTasksAs, log, mixedStore, soon } from './log.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

describe('the list', () => {
  test('newest first, one line each, with what a receipt names', async () => {
    const { place, receipts } = await usedStore();
    const ran = await log(place);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expectFits(ran);
    const [head, ...lines] = ran.stdout.trim().split('\n');
    expect(head).toMatch(/^time +tool +about +outcome +took +client +record$/);
    expect(lines.map((line) => line.split(/ {2,}/)[1])).toEqual(['thought_record', 'task_update', 'task_create']);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d +thought_record +\S.* +ok +[\d.]+ (µs|ms|s) +raw +\d+$/);
    const listed = await calls(place);
    expect(listed.map(({ seq, call }) => ({ seq, call }))).toEqual(
      receipts.map(({ seq, call }) => ({ seq, call })).toReversed(),
    );
  });
});

/** Calls whose cells are longer than their columns, each in another way. */
const longCalls = async () => {
  const { place } = await usedStore();
  const size = rows<{ size: number }>(place, 'SELECT size FROM logs')[0]?.size ?? 0;
  const ends = [
    ['save__note', 'failed', 'OUTCOME_UNKNOWN'],
    ['long__a_tool_with_quite_a_long_name', 'refused', 'TOOL_UNAVAILABLE'],
    ['get__task', 'domain_error', 'ERR_INVALID_TRANSITION'],
    ['ping', 'ok', ''],
    ['web__search', 'interrupted', ''],
  ] as const;
  const at = new Date().toISOString();
  const attempts = [{ server: 'second', tool: 'search', how: 'result', sent: true, duration_ms: 1 }];
  const candidates = [{ server: 'first', tool: 'search', state: 'HEALTHY', eligible: true }];
  const records = ends.flatMap(([tool, outcome, code], n) => {
    const both = { call: `0000000${n}-0000-4000-8000-000000000000`, tool };
    const route = { name: 'web:search', candidates, attempts };
    const exit = {
      ...both,
      outcome,
      ...(code && { code }),
      duration_us: 10 ** n,
      ...(tool === 'web__search' && { route }),
    };
    return [
      { at, record: { kind: 'call.enter', ...both, effect: 'proxy', client: null } },
      { at, record: { kind: 'call.exit', sequence_no: size + 2 * n, ...exit } },
    ];
  });
  return { place, ends, add: () => appendRecords(place, records) };
};

/** Each line has the outcome of its call at the column of the head, and blanks before it. */
const expectStands = (lines: readonly string[], ends: readonly (readonly [string, string, string])[]): void => {
  const head = lines.find((line) => line.startsWith('time')) ?? '';
  const column = head.indexOf('outcome');
  for (const [tool, outcome] of ends) {
    const line = lines.find((one) => one.includes(tool.slice(0, 4))) ?? '';
    expect(line.slice(column - 2), line).toMatch(new RegExp(`^  ${outcome}( |…|$)`));
    expect(line.indexOf(tool.slice(0, 4)), line).toBe(head.indexOf('tool'));
  }
};

deepTest.each([50, 60, 80, 100])(
  'on %d columns every cell stands in its column, and no outcome loses its word',
  async (width) => {
    const { place, ends, add } = await longCalls();
    const env = { COLUMNS: String(width) };
    const following = new Running({ ...place, env: { ...place.env, ...env } }, ['log', '--follow']);
    await soon('the first lines', () => following.lines.length >= 4);
    await add();
    await soon('the others', () => following.lines.length >= 4 + ends.length);
    following.kill('SIGINT');
    const listed = await colibri(place, ['log', '--limit', String(ends.length)], { env });
    for (const lines of [following.lines, listed.stdout.split('\n')]) {
      expectFits({ stdout: lines.join('\n') }, width);
      expectStands(lines, ends);
    }
    if (width === 100) expect(listed.stdout).toMatch(/fell back to second .*\n[\s\S]*failed OUTCOME_UNKNOWN/);
  },
);

describe('one call', () => {
  test('by its id, its record, its intent or its thought: arguments, change, reason, receipt, proof', async () => {
    const { place, receipts, note, log: name } = await usedStore();
    const [, update] = receipts;
    const names = [update?.call ?? '', String(update?.seq), `${name.slice(0, 6)}/${update?.seq}`, note];
    const [{ seq: intent = 0 } = {}] = rows<{ seq: number }>(
      place,
      `SELECT seq FROM actions WHERE kind = 'call.enter' AND tool = 'task_update'`,
    );
    const texts = new Set<string>();
    for (const one of [...names, String(intent)]) {
      const ran = await log(place, one);
      expect(ran, one).toMatchObject({ code: 0, stderr: '' });
      texts.add(ran.stdout);
    }
    expect(texts.size).toBe(1);
    const [text = ''] = texts;
    expectFits({ stdout: text });
    expect(text).toContain('T-0001: INIT → GATHER');
    expect(text).toContain('"status": "GATHER"');
    expect(text).toContain('looked at the logs');
    expect(text).toContain(update?.leaf);
    expect(text).toContain(`colibri prove ${update?.call} --out`);
    expect(text).toMatch(/covered by the signature over \d+ records/);
    const whole = json(await log(place, update?.call ?? '', '--json'));
    expect(whole).toMatchObject({
      call: { seq: update?.seq, sequence_no: intent, changes: [{ from: 'INIT', to: 'GATHER', because: note }] },
      leaf: update?.leaf,
      arguments: { kept: 'stored', json: { status: 'GATHER', task_id: 'T-0001' } },
      thoughts: [{ thought_id: note, content: 'looked at the logs' }],
      proof: { log: name, seq: update?.seq, covered_by: expect.any(Number) },
    });
  });
});

deepDescribe('why', () => {
  deepTest('the caller was wrong', async () => {
    const { place } = await mixedStore();
    const [found] = await calls(place, '--tool', 'nobody_has_it');
    const text = (await log(place, '--explain', found?.call ?? '')).stdout;
    expectFits({ stdout: text });
    expect(text).toContain('Colibri rejected the call: nobody_has_it did not run.');
    expect(text).toContain('TOOL_NOT_FOUND: There is no tool with the name that was called.');
    // What never ran has no effect, and above all none that nobody knows.
    expect((await log(place, found?.call ?? '')).stdout).toMatch(/^effect +none: it did not run$/m);
  });
});

describe('following', () => {
  test('the last ones oldest first, then every new call of every process, once', async () => {
    const { place, receipts } = await usedStore();
    const following = new Running(place, ['log', '--follow', '--json', '--limit', '2']);
    await soon('the last two', () => following.lines.length >= 2);
    expect(following.messages.map(({ seq }) => seq)).toEqual(receipts.slice(1).map(({ seq }) => seq));
    const made = (await Promise.all([listTasksAs(place, 'one', 150), listTasksAs(place, 'two', 150)])).flat();
    await soon('all new ones', () => following.lines.length >= 302);
    const seen = following.messages.slice(2).map(({ seq }) => seq);
    expect(seen).toEqual(made.toSorted((a, b) => a - b));
    expect(new Set(following.messages.slice(2).map(({ client }) => client.name))).toEqual(new Set(['one', 'two']));
    following.kill('SIGINT');
    expect(await following.ended).toEqual({ code: 0, signal: null });
    expect(following.stderr).toBe('');
  });
});
