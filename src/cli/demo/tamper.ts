// The demo's last step: one byte of a copy of the store is changed, and `verify` finds the change.
import { readFileSync, writeFileSync } from 'node:fs';
import { lookIntoDemo, verify } from './look.js';
import { thoughtContent } from './repository.js';
import type { Scratch } from './scratch.js';
import type { Story } from './story.js';
import { VERIFIED } from './work.js';

/** The position of the digit to change in the thought's text: 40 ms become 10 ms. */
const AT = VERIFIED.indexOf('40 ms');
const FORGED = VERIFIED.replace('40 ms', '10 ms');

/** Every position of a text in the store's file: old database pages may contain copies that no row uses any more. */
function* positionsOf(file: Buffer, text: string): Generator<number> {
  for (let at = file.indexOf(text); at !== -1; at = file.indexOf(text, at + 1)) yield at;
}

/** Writes a copy of the store with one byte changed, so that the thought reads differently. False if the thought was not found. */
const forge = async (store: string, copy: string, thought: string): Promise<boolean> => {
  const original = readFileSync(store);
  for (const place of positionsOf(original, VERIFIED)) {
    const forged = Buffer.from(original);
    forged[place + AT] = '1'.charCodeAt(0);
    writeFileSync(copy, forged);
    if ((await lookIntoDemo(copy, (tx) => thoughtContent(tx, thought))) === FORGED) return true;
  }
  return false;
};

export const showTampering = async (story: Story, scratch: Scratch, thought: string): Promise<void> => {
  const copy = scratch.in('forged.db');
  const changed = await forge(scratch.store, copy, thought);
  story.claim(
    changed,
    {
      claim: 'one byte of a copy is changed: a measurement looks better than it was',
      lines: [`"${FORGED}"`],
      data: { copy, thought },
    },
    'the text of the thought was not found in the file',
  );
  const { code, findings } = await verify(scratch, ['--db', copy]);
  const finding = findings.find(({ where }) => where.id === thought);
  story.claim(
    code === 20 && finding !== undefined,
    {
      claim: 'verify says 20, BROKEN, and names the thought',
      lines: [`thoughts ${thought}: ${finding?.message}`],
      data: { exit: code, finding },
    },
    { code, findings },
  );
};
