// Why a call of yesterday failed, told for every client and on both engines: the other server's words, Colibri's own, the argument that did
// not fit, and the last lines of a server that died. Erasing and pruning reach them on both engines too.
import { describe, expect, test, vi } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { onScreen } from '../support/command-output.js';
import { freshDatabase, hasPostgres } from '../support/postgres.js';
import { nodeOn } from '../support/postgres-nodes.js';
import { CLIENT_KINDS, connect, freshPlace, type Place } from '../support/serve.js';
import { board } from './words.shared.js';

vi.setConfig({ testTimeout: 240_000 });

type Call = { call: string; tool: string; outcome: string; is_error: boolean };

/** What is called, how the record calls it, and what an explanation says of it. */
const TOLD: readonly {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly outcome: string;
  readonly says: RegExp;
}[] = [
  { tool: 'says__fail', args: { text: 'no row 7 in orders' }, outcome: 'is_error', says: /no row 7 in orders/ },
  {
    tool: 'says__refuse',
    args: { text: 'the index is rebuilt' },
    outcome: 'domain_error',
    says: /the index is rebuilt/,
  },
  { tool: 'says__fail', args: { txt: 'x' }, outcome: 'rejected', says: /required property 'text'/ },
  { tool: 'task_get', args: { tsk: 1 }, outcome: 'rejected', says: /task_id is missing/ },
  { tool: 'task_get', args: { task_id: 'T-9' }, outcome: 'domain_error', says: /There is no task T-0009/ },
  {
    tool: 'says__die',
    args: { text: 'panic: index out of range' },
    outcome: 'unknown',
    says: /exited with code 7[\s\S]*stderr:[\s\S]*panic: index out of range/,
  },
];

const shownAs = ({ outcome, is_error }: Call): string => (is_error ? 'is_error' : outcome);

const failedCalls = async (place: Place): Promise<readonly Call[]> =>
  json(await colibri(place, ['log', '--failed', '--limit', '100', '--json'])).calls.toReversed();

const explained = async (place: Place): Promise<void> => {
  const calls = await failedCalls(place);
  for (const { tool, outcome, says } of TOLD) {
    const ofTool = calls.filter((call) => call.tool === tool);
    const told = await Promise.all(ofTool.map(({ call }) => onScreen(place, ['log', '--explain', call])));
    const at = told.findIndex(({ stdout }) => says.test(stdout));
    expect(at, `${tool} ${outcome}: ${told.map(({ stdout }) => stdout).join('\n')}`).toBeGreaterThanOrEqual(0);
    if (outcome !== 'unknown') expect(shownAs(ofTool[at] as Call), tool).toBe(outcome);
  }
};

const tried = async (place: Place, kind: (typeof CLIENT_KINDS)[number]): Promise<void> => {
  board(place);
  const client = await connect(place, kind);
  for (const { tool, args } of TOLD) await client.callTool(tool, args).catch(() => {});
  await client.close();
  await explained(place);
  const calls = await failedCalls(place);
  const died = calls.find(({ tool }) => tool === 'says__die')?.call ?? '';
  expect(await colibri(place, ['erase', died, '--reason', 'a name', '--yes'])).toMatchObject({ code: 0 });
  expect((await colibri(place, ['log', '--explain', died])).stdout).toContain('erased or pruned');
  expect((await colibri(place, ['log', '--explain', died])).stdout).not.toContain('panic');
  await colibri(place, ['prune', '--before', new Date().toISOString(), '--yes']);
  for (const { call } of calls)
    expect((await colibri(place, ['log', '--explain', call])).stdout).not.toMatch(/no row 7|is rebuilt|T-0009/);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
};

describe.each(CLIENT_KINDS)('%s', (kind) => {
  test('in a file', () => tried(freshPlace(), kind));

  test.skipIf(!hasPostgres())('on PostgreSQL', async () => {
    const { url, drop } = await freshDatabase();
    try {
      await tried(nodeOn(url), kind);
    } finally {
      await drop();
    }
  });
});
