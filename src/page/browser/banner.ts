// The banner: what the check found. Its first words, NOT VERIFIED, stand in the file; only the end of the check changes them.
import type { PageLogVerdict, PageVerdict } from '../../proof/page-check.js';
import type { PageData, PageLog } from '../../proof/page-data.js';
import { textIn } from '../model/read.js';
import { h, replace } from './dom.js';
import { PAGE_LIMITS } from './limits.js';
import { countOf, figureOf, wholeMoment, zoneWords } from './words.js';

const WORDS: Readonly<Record<PageVerdict['verdict'], string>> = {
  verified: '\u2713 VERIFIED',
  incomplete: 'VERIFIED, INCOMPLETE',
  broken: '\u2717 BROKEN',
};

const logWords = ({ shown, size, range, signed, unsigned, withheld }: PageLogVerdict): string => {
  const all = `${figureOf(shown)} of ${countOf(size, 'record')}`;
  const rest = size - shown;
  const left = rest === 0 ? 'none left out' : `${figureOf(rest)} not shown`;
  const complete = range === null ? '' : `; complete from seq ${figureOf(range.from)} to ${figureOf(range.to)}`;
  const tail =
    unsigned === 0 ? '' : `; ${figureOf(unsigned)} not signed yet (the signature covers ${figureOf(signed)})`;
  const texts = withheld === 0 ? '' : `; ${countOf(withheld, 'text')} erased, pruned or left out`;
  return `${all}, ${left}${complete}${tail}${texts}`;
};

const element = (): Element => {
  const banner = document.getElementById('banner');
  if (banner === null) throw new Error('the page has no banner');
  return banner;
};

const show = (verdict: string, word: string, ...details: (Node | string)[]): void => {
  const banner = element();
  const isNews = banner.querySelector('strong')?.textContent !== word;
  const isOpen = banner.querySelector('details')?.open === true;
  // A live page counts on: only another verdict is read out.
  banner.setAttribute('aria-live', isNews ? 'polite' : 'off');
  banner.setAttribute('data-verdict', verdict);
  replace(banner, h('strong', {}, word), ' ', h('div', { class: 'details' }, ...details));
  for (const one of banner.querySelectorAll('details')) one.open = isOpen;
};

/** While the check goes on; the words of the file stay. */
export const sayChecking = (): void =>
  show('unverified', 'NOT VERIFIED', h('p', {}, 'The check of signatures, records and texts is still running.'));

/** While `colibri view` does not answer, or cannot read the store. */
export const sayLost = (): void =>
  show(
    'unverified',
    'NOT CONNECTED',
    h('p', {}, 'colibri view does not answer, or cannot read the store; what is shown is as it was. Trying again.'),
  );

/** If the file is not the one that was written, or has no data. */
export const sayBroken = (why: string): void => show('broken', WORDS.broken, h('p', {}, why));

const keys = ({ logs }: PageVerdict): HTMLElement =>
  h(
    'details',
    {},
    h('summary', {}, logs.length === 1 ? 'Key of the log' : `Keys of the ${logs.length} logs`),
    h('p', {}, 'The check shows that these keys signed these records. Whose keys they are, the page cannot say.'),
    h(
      'ul',
      { class: 'keys' },
      logs.map(({ vkey }) => h('li', {}, h('code', {}, vkey))),
    ),
  );

/** The machine and user that the newest shown record of a start names. What the page itself calls the log, nobody signed. */
const nodeOf = (log: PageLog | undefined, id: string): string =>
  textIn(log?.records.findLast(({ kind, node }) => kind === 'boot' && textIn(node) !== '')?.node) ||
  `log ${id.slice(0, PAGE_LIMITS.idChars)}`;

/** What nobody signed of a saved page. */
const claimed = ({ made_at: at, version, project }: PageData): string =>
  `As the page itself says, not proved: made ${wholeMoment(at)} by Colibri ${version}${project === null ? '' : `, of the project ${project}`}.`;

export const sayVerdict = (found: PageVerdict, data: PageData, isLive: boolean): void => {
  const { verdict, logs } = found;
  const lines = logs.map((log, i) => {
    const who = logs.length > 1 ? `${nodeOf(data.logs[i], log.log)}: ` : '';
    return h('p', {}, `${who}${log.faults.length > 0 ? log.faults.join('; ') : logWords(log)}.`);
  });
  const advice = isLive
    ? 'Checked here, in the browser, as the records come in. Nothing on this page changes the store.'
    : 'A page cannot vouch for itself: compare the key, or run: colibri verify <this file> --key <vkey>.';
  const made = isLive ? [] : [h('p', { class: 'advice' }, claimed(data))];
  show(
    verdict,
    WORDS[verdict],
    ...lines,
    ...made,
    h('p', { class: 'advice' }, `${advice} ${zoneWords()}`),
    keys(found),
  );
};
