// `colibri verify <page>`: finds the keys, checks the page and prints the result.

import { readPage } from '../../page/html.js';
import type { Verifier } from '../../proof/verifier.js';
import { pageParts } from '../page/parts.js';
import { oneLine, plain, say, sayJson } from '../screen/print.js';
import { keyText } from './key-text.js';
import { judgePage, type PageReport, pageFacts, unjudgedPage } from './page-check.js';
import type { ProofOptions } from './proof.js';
import { verdictLines } from './verdict-text.js';
import { parseVkey } from './vkey.js';

/** The keys in the option: vkeys, or files with some, one a line. */
const keysGiven = (text: string): (Verifier | undefined)[] =>
  text
    .split('\n')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap((part) =>
      keyText(part)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    )
    .map(parseVkey);

/** The keys that the local store has for the logs of the page. */
const keysHere = async (text: string, options: ProofOptions): Promise<Verifier[]> => {
  const { keyInStore } = await import('./key-in-store.js');
  const found: Verifier[] = [];
  for (const { vkey } of readPage(text)?.logs ?? []) {
    const own = await keyInStore(options, vkey.split('+')[0] ?? '');
    if (own !== undefined) found.push(own);
  }
  return found;
};

const HERE = 'Checked with the keys that the local store has. If you got the key elsewhere, give it with --key.';
const WANTED =
  "The key of the log is needed: ask the log's owner for `colibri checkpoint --print` and give it with --key.";

const judge = async (text: string, options: ProofOptions): Promise<PageReport> => {
  if (options.key === undefined) {
    const here = await keysHere(text, options);
    if (here.length === 0) return unjudgedPage(WANTED);
    const report = await judgePage(text, here, pageParts());
    return { ...report, remarks: [...report.remarks, HERE] };
  }
  const given = keysGiven(options.key);
  if (given.length === 0 || given.includes(undefined))
    return unjudgedPage('The key is not an Ed25519 vkey, or its name and key do not belong together.');
  return judgePage(
    text,
    given.filter((key) => key !== undefined),
    pageParts(),
  );
};

export const verifyPageFile = async (file: string, text: string, options: ProofOptions): Promise<number> => {
  const report = await judge(text, options).catch((thrown: unknown) => unjudgedPage(oneLine(thrown)));
  if (options.json) sayJson(report);
  else {
    const facts = pageFacts(report);
    for (const line of verdictLines({ ...report, subject: `page ${plain(file)}`, facts, missing: [] })) say(line);
  }
  return report.exit;
};
