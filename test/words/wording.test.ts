// The words that were replaced by plain ones stay replaced: in comments and messages of the source, in help, and in the documents.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { expect, test } from 'vitest';

/** What must not come back, and what is said instead. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\bA promise, but no longer than\b/, 'Waits for a promise, at most so many milliseconds.'],
  [/(?<!\b[Tt]here )\bis no (?:call|text|words|note|object|file|task|record|server|tool|head|proof)\b/, 'is not a …'],
  [/\bare no beginning of\b/, 'do not match this log'],
  [/\bran and said no\b/, 'the server returned an error'],
  [/\benters it into\b/, 'adds it to'],
  [/\btakes the last run back\b/, 'undoes the last run'],
  [/\bchanged nothing that is evidence\b/, 'changed: nothing'],
  [/\bOf a log file that is read, the whole\b/, 'How much of a log file doctor reads'],
  [/\b(?:legacy|modern) era\b/, 'protocol 2025-11-25 and older, protocol 2026-07-28'],
  [/\brestore --accept\b/, 'colibri accept-loss'],
];

/** Decisions and the list of changes say how it was before. */
const HISTORY = /^(?:docs\/adr\/|CHANGELOG\.md$)/;

const tracked = execFileSync('git', ['ls-files', 'src', 'docs', 'skills', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter(
    (file) => /\.(?:ts|md)$/.test(file) && !/\.test\.ts$/.test(file) && !HISTORY.test(file) && fs.existsSync(file),
  );

test('no old word is left', () => {
  expect(tracked.length).toBeGreaterThan(500);
  const found = tracked.flatMap((file) =>
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        REPLACED.filter(([old]) => old.test(line)).map(([, plain]) => `${file}:${at + 1}: ${line.trim()} → ${plain}`),
      ),
  );
  expect(found).toEqual([]);
});
