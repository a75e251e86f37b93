// A run on paper: the table for the terminal, the counts for the document, the results as JSON.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { isClean, score } from './compare.mjs';
import { REVISIONS, SUITE } from './suite.mjs';

/** Scenario by scenario, checks passed; ✗ where there is a difference. */
export const tableOf = ({ legs: names, rows, differences }) => {
  const marked = new Set(differences.map(({ revision, leg, scenario }) => [revision, leg, scenario].join()));
  const lines = rows.map(({ revision, scenario, need, legs }) => {
    const mark = (leg) => (marked.has([revision, leg, scenario].join()) ? ' ✗' : '');
    const scores = names.map((leg) => `${score(legs[leg], legs.direct ?? {})}${mark(leg)}`);
    return [revision, scenario, need, ...scores];
  });
  const all = [['revision', 'scenario', 'need', ...names], ...lines];
  const widths = all[0].map((_, at) => Math.max(...all.map((one) => one[at].length)));
  const pad = (one) => one.map((value, at) => value.padEnd(widths[at])).join('  ');
  return `${all.map((one) => pad(one).trimEnd()).join('\n')}\n`;
};

const kindOf = ({ need }) => (need === 'required' || need === 'OAuth' ? need : 'not required');

/** How many scenarios pass, with every check. */
export const summaryOf = ({ legs: names, rows }) => ({
  head: ['revision', 'scenarios', 'number', ...names],
  rows: REVISIONS.flatMap((revision) =>
    ['required', 'not required', 'OAuth'].flatMap((kind) => {
      const some = rows.filter((row) => row.revision === revision && kindOf(row) === kind);
      const passed = names.map((leg) => some.filter(({ legs }) => isClean(legs[leg])).length);
      if (some.length === 0) return [];
      return [[revision, kind, some.length, ...(kind === 'OAuth' ? names.map(() => 'not run') : passed)]];
    }),
  ),
});

/** `sides`: rows and differences by side. */
export const writeResults = (file, root, sides) => {
  const versionIn = (manifest) => JSON.parse(fs.readFileSync(join(root, manifest), 'utf8')).version;
  const versions = {
    suite: SUITE,
    sdk: versionIn('node_modules/@modelcontextprotocol/server/package.json'),
    colibri: versionIn('package.json'),
    node: process.versions.node,
  };
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify({ versions, ...sides }, null, 2)}\n`);
};
