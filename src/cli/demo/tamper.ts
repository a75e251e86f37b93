// The demo's last step: one byte of a copy of the store is changed, behind everybody's back.
import { readFileSync, writeFileSync } from 'node:fs';
import { lookIntoDemo, verify } from './look.js';
import { thoughtContent } from './repository.js';
import type { Scratch } from './scratch.js';
import type { Story } from './story.js';
import { VERIFIED } from './work.js';

/** The first digit of the measurement: 40 ms become 10. */
const AT = VERIFIED.indexOf('40 ms');
const FORGED = VERIFIED.replace('40 ms', '10 ms');

/** Every place in the file where the text stands: old pages may keep one that no row points to any more. */
function* placesOf(file: Buffer, text: string): Generator<number> {
  for (let at = file.indexOf(text); at !== -1; at = file.indexOf(text, at + 1)) yield at;
}

/** A copy of the store in which one byte differs and the thought reads otherwise. */
const forge = async (store: string, copy: string, thought: string): Promise<boolean> => {
  const original = readFileSync(store);
  for (const place of placesOf(original, VERIFIED)) {
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
    'the thought does not stand in the file as it is',
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
