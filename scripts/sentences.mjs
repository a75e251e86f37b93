// Picks comments and messages of src/ by a seed: `node scripts/sentences.mjs [--seed N] [--count N]`. Each is shown with the name
// of its file and nothing else: a reader who cannot say it in other words has found a sentence to rewrite.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '30' } },
});
const SRC = new URL('../src/', import.meta.url);

/** Two words at least, and a sentence that a person reads: no path, no SQL, no pattern. @param {string} text */
const isSentence = (text) => /^[A-Z`$].* .* /.test(text) && !/^(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA) /.test(text);

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n)+)/gm;
const MESSAGE = /'((?:[^'\\\n]|\\.){20,})'|`((?:[^`\\]|\\.){20,})`/g;

/** @param {string} text */
const plain = (text) =>
  text
    .replace(/^[ \t]*(\/\/|\*)[ ]?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();

/** @param {string} file */
const sentencesIn = (file) => {
  const text = readFileSync(new URL(file, SRC), 'utf8');
  const comments = [...text.matchAll(COMMENT)].map(([, block, lines]) => plain(block ?? lines ?? ''));
  const messages = [...text.replace(COMMENT, '').matchAll(MESSAGE)].map(([, one, two]) => plain(one ?? two ?? ''));
  return [...comments, ...messages].filter(isSentence).map((sentence) => ({ file, sentence }));
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file));
const all = files.toSorted().flatMap(sentencesIn);
/** The same seed picks the same sentences for as long as they stand. @param {{ file: string, sentence: string }} one */
const place = ({ file, sentence }) => createHash('sha256').update(`${options.seed} ${file} ${sentence}`).digest('hex');
const picked = all.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, Number(options.count));
for (const [at, { file, sentence }] of picked.entries()) console.log(`${at + 1}. ${file}: ${sentence}\n`);
