// A run on paper: the table for the terminal, the counts for the document, the results as JSON.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { isClean, score } from './compare.mjs';
import { LEGS } from './hosts.mjs';
import { REVISIONS, SUITE } from './suite.mjs';

/** Scenario by scenario, checks passed; ✗ where there is a difference. */
export const tableOf = ({ rows, differences }) => {
  const marked = new Set(differences.map(({ revision, leg, scenario }) => [revision, leg, scenario].join()));
  const lines = rows.map(({ revision, scenario, need, legs }) => {
    const mark = (leg) => (marked.has([revision, leg, scenario].join()) ? ' ✗' : '');
    return [revision, scenario, need, ...LEGS.map((leg) => `${score(legs[leg], legs.direct)}${mark(leg)}`)];
  });
  const all = [['revision', 'scenario', 'need', ...LEGS], ...lines];
  const widths = all[0].map((_, at) => Math.max(...all.map((one) => one[at].length)));
  const pad = (one) => one.map((value, at) => value.padEnd(widths[at])).join('  ');
  return `${all.map((one) => pad(one).trimEnd()).join('\n')}\n`;
};

/** How many scenarios pass, with every check. */
export const summaryOf = (rows) => ({
  head: ['revision', 'scenarios', 'number', ...LEGS],
  rows: REVISIONS.flatMap((revision) =>
    [true, false].map((required) => {
      const some = rows.filter((row) => row.revision === revision && (row.need === 'required') === required);
      const passed = LEGS.map((leg) => some.filter(({ legs }) => isClean(legs[leg])).length);
      return [revision, required ? 'required' : 'not required', some.length, ...passed];
    }),
  ),
});

export const writeResults = (file, root, { rows, differences }) => {
  const versionIn = (manifest) => JSON.parse(fs.readFileSync(join(root, manifest), 'utf8')).version;
  const versions = {
    suite: SUITE,
    sdk: versionIn('node_modules/@modelcontextprotocol/server/package.json'),
    colibri: versionIn('package.json'),
    node: process.versions.node,
  };
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify({ versions, rows, differences }, null, 2)}\n`);
};
