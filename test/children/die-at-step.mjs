// Preloaded into a process to end it, by SIGKILL to itself, before the n-th change of a file below a folder (DIE_IN) or the n-th commit. With DIE_AT=0
// it ends nothing and says on stderr how many there were.
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const { DIE_AT: at, DIE_IN: folder = '' } = process.env;
const plain = { ...fs };
const require = createRequire(import.meta.url);
const Database = require('better-sqlite3');
const said = (text) => plain.writeSync(2, text);

let steps = 0;
const step = (what) => {
  steps += 1;
  if (steps !== Number(at)) return;
  said(`died before ${what}\n`);
  process.kill(process.pid, 'SIGKILL');
};

const CHANGES = [
  'mkdirSync',
  'copyFileSync',
  'renameSync',
  'linkSync',
  'rmSync',
  'unlinkSync',
  'writeFileSync',
  'truncateSync',
];
for (const name of CHANGES) {
  fs[name] = (...args) => {
    const path = args.find((arg) => typeof arg === 'string' && arg.startsWith(folder));
    if (path !== undefined) step(`${name} ${path.slice(folder.length)}`);
    return plain[name](...args);
  };
}
syncBuiltinESMExports();

const Statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
const run = Statement.run;
Statement.run = function (...params) {
  if (this.source === 'COMMIT') step('a commit');
  return run.apply(this, params);
};

if (at === '0') process.on('exit', () => said(`steps ${steps}\n`));
