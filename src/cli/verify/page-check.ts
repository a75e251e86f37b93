// `colibri verify <page>`: checks the data of a page with keys from elsewhere, and whether the file is exactly the one that Colibri writes for
// these data. What a browser shows of it then is what was checked here.
import { count } from '../../core/figures.js';
import { hashes } from '../../ledger/hashes.js';
import { isSignedBy } from '../../ledger/notes.js';
import { isPageFile, type PageParts, readPage, writePage } from '../../page/html.js';
import { checkPage, type PageLogVerdict } from '../../proof/page-check.js';
import type { PageData } from '../../proof/page-data.js';
import type { Verifier } from '../../proof/verifier.js';
import { vkeyOf } from '../../proof/verifier.js';
import { readVersion } from '../../start/version.js';
import { NO_CUSTODY } from '../../verify/verdict/custody.js';
import type { Finding } from '../../verify/verdict/finding.js';
import type { Judged, VerifyExit } from '../../verify/verdict/verdict.js';

export { isPageFile };

/** The result of checking a page, in the form of a verdict about a store. */
export interface PageReport extends Judged {
  readonly valid: boolean;
  readonly scope: { readonly kind: 'page' };
  readonly logs: readonly Omit<PageLogVerdict, 'proved'>[];
}

const NOT_CHECKED = [
  'what the page marks as not proved: the state of servers, leases and processes when it was made',
  'records that it does not show',
  'that the log was continued and not replaced after this checkpoint (colibri verify --head, with the store)',
  'what the agent did with tools of its own client: those calls do not pass through Colibri',
];

const CUSTODY = {
  key: 'whoever holds the private key could have signed another history; a page cannot show who does',
  heads: 'none: a page does not show that this was the only log',
} as const;

export const unjudgedPage = (remark: string): PageReport => ({
  exit: 30,
  valid: false,
  scope: { kind: 'page' },
  logs: [],
  broken_count: 0,
  findings: [],
  remarks: [remark],
  checked: [],
  not_checked: ['everything'],
  custody: NO_CUSTODY,
});

const finding = (message: string, log?: string): Finding => ({
  kind: 'checkpoint',
  where: log === undefined || log === '' ? {} : { log },
  message,
});

/** What is wrong with the file around its data. Another version of Colibri writes another script, so then nothing can be said. */
const frameFaults = (text: string, data: PageData, parts: PageParts): { findings: Finding[]; remarks: string[] } => {
  if (writePage(data, parts, hashes) === text) return { findings: [], remarks: [] };
  if (data.version === readVersion())
    return {
      findings: [
        finding('The file is not the one that Colibri writes for these data: its script, style or words were changed.'),
      ],
      remarks: [],
    };
  const remark = `The page was made by Colibri ${data.version}: its data were checked, and not whether its script shows them as they are.`;
  return { findings: [], remarks: [remark] };
};

const shownWords = ({ log, shown, size, signed, unsigned }: PageLogVerdict): string =>
  `log ${log}: ${shown.toLocaleString('en')} of ${count(size, 'record')}, ${(size - shown).toLocaleString('en')} not shown; the signature covers ${signed.toLocaleString('en')}${unsigned === 0 ? '' : `, ${unsigned.toLocaleString('en')} shown ones are not signed yet`}`;

/** The lines about each log, for people. */
export const pageFacts = ({ logs }: PageReport): string[] =>
  logs.map((log) => shownWords({ ...log, proved: new Set<string>() }));

/** Checks a page. `trusted`: the keys that the reader has from elsewhere; `whose` says where they are from. */
export const judgePage = async (text: string, trusted: readonly Verifier[], parts: PageParts): Promise<PageReport> => {
  const data = readPage(text);
  if (data === undefined)
    return unjudgedPage(
      'The data in this page are not complete, or were changed so that they are not in the form that Colibri writes.',
    );
  const { logs } = await checkPage(data, { hashes, verifyEd25519: isSignedBy, pause: async () => {} });
  const keys = new Set(trusted.map(vkeyOf));
  const foreign = logs.filter(({ vkey }) => !keys.has(vkey));
  const isForged = foreign.length === logs.length;
  const frame = frameFaults(text, data, parts);
  const findings = [
    ...logs.flatMap(({ log, faults }) => faults.map((why) => finding(why, log))),
    ...(isForged ? [finding('No log of this page is signed with the key that was given.')] : []),
    ...frame.findings,
  ];
  const remarks = [
    ...frame.remarks,
    ...(isForged
      ? []
      : foreign.map(
          ({ log }) =>
            `Log ${log} was checked with the key that the page itself has for it: give its key too, --key may be repeated.`,
        )),
    ...logs.flatMap(({ log, withheld }) =>
      withheld === 0
        ? []
        : [`Log ${log}: ${count(withheld, 'text')} beside the records not in the page (erased, pruned or left out).`],
    ),
    ...logs.flatMap(({ log, unsigned }) =>
      unsigned === 0 ? [] : [`Log ${log}: ${count(unsigned, 'shown record')} newer than the last signature.`],
    ),
  ];
  const isIncomplete = foreign.length > 0 || frame.remarks.length > 0 || logs.some(({ unsigned }) => unsigned > 0);
  const exit: VerifyExit = findings.length > 0 ? 20 : isIncomplete ? 10 : 0;
  return {
    exit,
    valid: findings.length === 0,
    scope: { kind: 'page' },
    logs: logs.map(({ proved: _proved, ...log }) => log),
    broken_count: findings.length,
    findings,
    remarks,
    checked: [
      'the signatures over the checkpoints',
      'every shown record under the signed root of its log',
      'texts and rows against the digests in the records',
      'the file byte by byte against its data',
    ],
    not_checked: NOT_CHECKED,
    custody: CUSTODY,
  };
};
