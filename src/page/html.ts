// Writes a page as one HTML file, and reads it back. Script and style are pinned by their hashes in a content security policy; the script knows
// the hashes of style and data, so that it refuses to show anything else. Pure: the same data always give the same bytes.
import { toBase64 } from '../proof/base64.js';
import { fromHex, toUtf8 } from '../proof/bytes.js';
import { canonicalJson } from '../proof/canonical-json.js';
import type { Hashes } from '../proof/hashes.js';
import { type PageData, readPageData } from '../proof/page-data.js';

/** The built script and style, as scripts/bundle.mjs writes them: ASCII without line ends, so that no byte of them can change unseen. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
}

/** What the script finds in place of the hash of its data if it is to fetch them. */
export const LIVE_DATA = 'live';

export interface PinnedParts extends PageParts {
  /** The hashes of script and style, as a content security policy writes them. */
  readonly sources: { readonly script: string; readonly style: string };
}

type HashBytes = Pick<Hashes, 'bytes'>;

const hashOf = (text: string, { bytes }: HashBytes): string => bytes(toUtf8(text));
/** What a content security policy writes for a script or style with this text. */
export const sourceOf = (text: string, hashes: HashBytes): string =>
  `'sha256-${toBase64(fromHex(hashOf(text, hashes)))}'`;

/** Puts the hash of the data (or `live`) and of the style before the script, and computes what a content security policy says of the parts. */
export const pinned = ({ script, style }: PageParts, dataHash: string, hashes: HashBytes): PinnedParts => {
  const known = `const COLIBRI_PAGE={data:"${dataHash}",style:"${hashOf(style, hashes)}"};`;
  const own = `${known}${script}`;
  return { script: own, style, sources: { script: sourceOf(own, hashes), style: sourceOf(style, hashes) } };
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => ESCAPES[char] ?? char);

const BEFORE_DATA = '<script type="application/json" id="data">';
const AFTER_DATA = '</script>';

/** The data as they stand in the file. `<` is escaped, so that no text in them can end the block; JSON reads the escape as the character. */
const blockOf = (data: PageData): string => canonicalJson(data).replaceAll('<', '\\u003c');

interface Shell {
  readonly title: string;
  readonly parts: PageParts;
  /** The element with the policy; empty where the policy is a header. */
  readonly policy: string;
  readonly data: string;
}

const NO_SCRIPT =
  'NOT VERIFIED: scripts do not run here, or this file was changed. colibri verify &lt;this file&gt; --key &lt;vkey&gt; checks it.';

const shell = ({ title, parts, policy, data }: Shell): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${policy}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${parts.style}</style>
</head>
<body>
<div id="banner" role="status" data-verdict="unverified"><strong>NOT VERIFIED</strong> <span>${NO_SCRIPT}</span></div>
<div id="app"></div>
${data}<script>${parts.script}</script>
</body>
</html>
`;

/** The words of a page's title: what it is about. */
export const pageTitle = ({ project, scope }: Pick<PageData, 'project' | 'scope'>): string => {
  const about = scope.task ?? (scope.session === null ? (project ?? 'all projects') : `session ${scope.session}`);
  return `Colibri: ${about}`;
};

const policyOf = ({ script, style }: PinnedParts['sources']): string => {
  const rules = `default-src 'none'; script-src ${script}; style-src ${style}; base-uri 'none'; form-action 'none'`;
  return `<meta http-equiv="Content-Security-Policy" content="${rules}">\n`;
};

/** The file with these data. */
export const writePage = (data: PageData, parts: PageParts, hashes: HashBytes): string => {
  const block = blockOf(data);
  const own = pinned(parts, hashOf(block, hashes), hashes);
  return shell({
    title: pageTitle(data),
    parts: own,
    policy: policyOf(own.sources),
    data: `${BEFORE_DATA}${block}${AFTER_DATA}\n`,
  });
};

/** The file without its script and data. A browser compares the document that it made of a file with it. */
export const writeFrame = (
  data: Pick<PageData, 'project' | 'scope'>,
  style: string,
  sources: PinnedParts['sources'],
): string =>
  shell({
    title: pageTitle(data),
    parts: { script: '', style },
    policy: policyOf(sources),
    data: `${BEFORE_DATA}${AFTER_DATA}\n`,
  });

/** The page without data, for `colibri view`; its policy is a header. */
export const writeLivePage = (parts: PinnedParts): string => shell({ title: 'Colibri', parts, policy: '', data: '' });

/** Whether a text begins as pages do. */
export const isPageFile = (text: string): boolean => text.startsWith('<!doctype html>') && text.includes(BEFORE_DATA);

/** The data in a file, whatever the rest of the file is; undefined if their block does not have exactly the form of one. */
export const readPage = (text: string): PageData | undefined => {
  const from = text.indexOf(BEFORE_DATA) + BEFORE_DATA.length;
  const block = text.slice(from, text.indexOf(AFTER_DATA, from));
  try {
    const data = readPageData(JSON.parse(block));
    return data !== undefined && blockOf(data) === block ? data : undefined;
  } catch {
    return undefined;
  }
};
