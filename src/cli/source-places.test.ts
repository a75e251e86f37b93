import { SourceMap } from 'node:module';
import { expect, test } from 'vitest';
import { sourcePlaces } from './source-places.js';

/** From column 6 on, the only line of the bundle is line 3, column 8 of the source; what is before is the bundler's own. */
const map = new SourceMap({
  version: 3,
  file: 'a.js',
  sources: ['../../src/wire/door.ts'],
  sourcesContent: [],
  names: [],
  mappings: 'A,KAEO',
  sourceRoot: '',
});

const toSource = sourcePlaces((file) => (file.endsWith('/dist/chunks/a.js') ? map : undefined));

test.each([
  ['run (file:///opt/x/dist/chunks/a.js:1:9)', 'run (file:///opt/x/src/wire/door.ts:3:8)'],
  ['file:///opt/x/dist/chunks/a.js:1:6', 'file:///opt/x/src/wire/door.ts:3:8'],
  ['run (file:///opt/x/dist/chunks/a.js:1:2)', 'run (file:///opt/x/dist/chunks/a.js:1:2)'],
  ['run (file:///opt/x/dist/chunks/b.js:1:9)', 'run (file:///opt/x/dist/chunks/b.js:1:9)'],
  [
    'process.processTicks (node:internal/process/task_queues:95:5)',
    'process.processTicks (node:internal/process/task_queues:95:5)',
  ],
])('%s', (line, expected) => {
  expect(toSource(line)).toBe(expected);
});

test('a file whose map cannot be read keeps its place', () => {
  expect(sourcePlaces()('run (file:///nowhere/dist/a.js:1:9)')).toBe('run (file:///nowhere/dist/a.js:1:9)');
});
