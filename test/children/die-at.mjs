// Preloaded into a process to end it, by SIGKILL to itself, at one point of its work. Patches only Node's own functions and better-sqlite3, so that the
// process under test needs no hooks. DIE_AT names the point; DIE_WHEN is a file: nothing happens before the file exists.
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const { DIE_AT: point, DIE_WHEN: when, DIE_MARK: mark } = process.env;
const plain = { ...fs };
const require = createRequire(import.meta.url);
const Database = require('better-sqlite3');

const die = () => process.kill(process.pid, 'SIGKILL');
const isDue = (at) => at === point && (when === undefined || plain.existsSync(when));
const at = (name) => {
  if (isDue(name)) die();
};

// The files of the journal.

/** The open journals by descriptor: of this process, or `other `. */
const journals = new Map();
const isJournal = (path) => /\.journal\/[0-9a-f-]{36}$/.test(String(path));

fs.openSync = (path, ...rest) => {
  const descriptor = plain.openSync(path, ...rest);
  journals.delete(descriptor);
  const isOwn = typeof rest[0] === 'number' && (rest[0] & fs.constants.O_CREAT) !== 0;
  if (isJournal(path)) journals.set(descriptor, isOwn ? '' : 'other ');
  return descriptor;
};

/** What is written: a frame begins with its generation, what was settled is overwritten with zeros, a header begins with a word. */
const kindOf = (bytes, offset) => {
  if (bytes[offset] === 0) return 'zeros';
  return bytes[offset] >= 0x30 && bytes[offset] <= 0x39 ? 'frame' : 'header';
};

fs.writeSync = (descriptor, bytes, offset, length, position) => {
  if (!journals.has(descriptor)) return plain.writeSync(descriptor, bytes, offset, length, position);
  const kind = journals.get(descriptor) + kindOf(bytes, offset);
  const count = length ?? bytes.length - offset;
  at(`before the ${kind}`);
  if (isDue(`half of the ${kind}`)) {
    plain.writeSync(descriptor, bytes, offset, count >> 1, position);
    die();
  }
  const written = plain.writeSync(descriptor, bytes, offset, length, position);
  at(`after the ${kind}`);
  return written;
};

fs.fdatasync = (descriptor, done) => {
  at('before the sync');
  return plain.fdatasync(descriptor, (error) => {
    at('after the sync');
    done(error);
  });
};

fs.rmSync = (path, options) => {
  const what = isJournal(path) ? 'journal' : /\.instances\/[0-9a-f-]{36}$/.test(String(path)) ? 'lock' : undefined;
  if (what !== undefined) at(`before the ${what} is removed`);
  plain.rmSync(path, options);
  if (what !== undefined) at(`after the ${what} is removed`);
};

syncBuiltinESMExports();

// Transactions: those that write a record in which DIE_MARK occurs.

let isMarked = false;
const Statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
const run = Statement.run;
Statement.run = function (...params) {
  const { source } = this;
  if (source.startsWith('BEGIN')) isMarked = false;
  if (mark !== undefined && params.some((param) => typeof param === 'string' && param.includes(mark))) isMarked = true;
  const isIt = source === 'COMMIT' && isMarked;
  if (isIt) at('before the commit');
  const result = run.apply(this, params);
  if (isIt) at('after the commit');
  return result;
};

// The answers.

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  const isIt = isDue('after the reply') && String(text).includes('"id":"fatal"');
  const result = write(text, ...rest);
  if (isIt) die(); // writing to a pipe is synchronous
  return result;
};
