// scripts/walk.mjs on the built process: it finds the way that ARCHITECTURE.md draws, in that order.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/walk.mjs', import.meta.url));

const STAGES = ['wire/line-transport.js', 'wire/fast-lane.js', 'middleware/chain.js', 'middleware/tool-lock.js'];
const LATER = [
  'middleware/validate.js',
  'middleware/audit.js',
  'ledger/calls/recorded-calls.js',
  'middleware/dispatch.js',
];

it('names the files that a warm call passes, in order', () => {
  const walks = JSON.parse(execFileSync(process.execPath, [SCRIPT, '--json'], { encoding: 'utf8' })) as Readonly<
    Record<string, readonly string[]>
  >;
  const inOrder = (name: string, way: readonly string[]) => {
    const files = walks[name] ?? [];
    expect(files.filter((file) => way.includes(file))).toEqual(way);
    expect(new Set(files).size).toBe(files.length);
  };
  inOrder('task_update', [...STAGES, ...LATER, 'domains/tasks/apply-change.js', 'middleware/envelope.js']);
  const sent = ['switchboard/front/handle.js', ...LATER, 'switchboard/server/queue.js', 'switchboard/link/lane.js'];
  inOrder('a proxied call', [...STAGES, ...sent, 'middleware/envelope.js']);
});
