// Checks a file that somebody drops here (a proof, a checkpoint, receipts) with the keys of this page, or with a key that is typed in.
import { fromUtf8 } from '../../proof/bytes.js';
import { type JsonObject, parseObject } from '../../proof/canonical-json.js';
import { logIdIn } from '../../proof/checkpoint.js';
import type { CallProof } from '../../proof/proof-file.js';
import { verifyCheckpoint, verifyProof } from '../../proof/verify-log.js';
import { logIdOf } from '../model/model.js';
import { textIn } from '../model/read.js';
import type { App, View } from './app.js';
import { receiptsFinding } from './check-receipts.js';
import { crypto } from './checking.js';
import { type Child, h, longText, replace } from './dom.js';
import { eventWords } from './events.js';
import { type FileFinding, findingView } from './finding.js';
import { PAGE_LIMITS } from './limits.js';
import { none } from './parts.js';
import { countOf, figureOf } from './words.js';

const keyFor = (
  { data }: App,
  typed: string,
  origin: string,
): { readonly vkey: string; readonly whose: string } | undefined => {
  if (typed !== '') return { vkey: typed, whose: 'the key that you gave' };
  const log = data.logs.find((one) => logIdOf(one) === logIdIn(origin));
  return (
    log && { vkey: log.vkey, whose: 'the key that this page has; give the key from elsewhere to be sure whose it is' }
  );
};

const NO_KEY = 'It is of a log whose key this page does not have. Type the key in above.';

const recordWords = (record: JsonObject): string =>
  ['kind', 'tool', 'outcome', 'session_id', 'at']
    .map((name) => textIn(record[name]))
    .filter((word) => word !== '')
    .join(' ');

/** What a proof says of a call besides its outcome: who allowed it, and what the model was told of the tool. */
const callProofView = ({ records, definition }: CallProof): Child => {
  const further = records.map(({ record }) => parseObject(record));
  return [
    h(
      'ul',
      {},
      further.map((record) =>
        h('li', {}, record.kind === 'approval' ? `approval: ${eventWords(record)}` : recordWords(record)),
      ),
    ),
    definition === null
      ? none('The definition of the tool is not in the file.')
      : h('details', {}, h('summary', {}, 'The definition that the model saw'), longText(definition)),
  ];
};

const proofFinding = async (app: App, text: string, typed: string): Promise<FileFinding> => {
  const origin = text.slice(text.indexOf('\n\n') + 2).split('\n')[0] ?? '';
  const key = keyFor(app, typed, origin);
  if (key === undefined) return { good: false, text: NO_KEY };
  const verdict = await verifyProof(text, key.vkey, crypto);
  if (!verdict.holds) return { good: false, text: `The proof does not hold: ${verdict.why}.` };
  const { proof, checkpoint } = verdict;
  const record = parseObject(proof.extra.record);
  const content = proof.extra.thought?.content;
  return {
    good: true,
    text: `The proof holds: record ${figureOf(proof.index)} of ${figureOf(checkpoint.size)}, ${recordWords(record)}. Checked with ${key.whose}.`,
    more: [
      proof.extra.call !== undefined && callProofView(proof.extra.call),
      content !== null && content !== undefined && longText(content, { class: 'prose' }),
      longText(JSON.stringify(record, null, 2)),
    ],
  };
};

const checkpointFinding = async (app: App, text: string, typed: string): Promise<FileFinding> => {
  const origin = text.split('\n')[0] ?? '';
  const key = keyFor(app, typed, origin);
  if (key === undefined) return { good: false, text: NO_KEY };
  const verdict = await verifyCheckpoint(text, key.vkey, crypto);
  if (!verdict.holds) return { good: false, text: `The checkpoint does not hold: ${verdict.why}.` };
  const own = app.verdict?.logs.find(({ log }) => log === logIdIn(origin));
  const same =
    own?.signed === verdict.checkpoint.size ? ' This page was made under a checkpoint of the same size.' : '';
  return {
    good: true,
    text: `The checkpoint holds: ${countOf(verdict.checkpoint.size, 'record')}, root ${verdict.checkpoint.root}. Checked with ${key.whose}.${same}`,
  };
};

const findingOf = async (app: App, text: string, typed: string): Promise<FileFinding> => {
  if (app.verdict === undefined)
    return { good: false, text: 'The page itself is still being checked. Try again in a moment.' };
  if (text.startsWith('c2sp.org/tlog-proof@')) return proofFinding(app, text, typed);
  if (text.includes('\n\n\u2014 ')) return checkpointFinding(app, text, typed);
  try {
    return receiptsFinding(app, text);
  } catch {
    return { good: false, text: 'This is neither a proof file, nor a checkpoint, nor receipts in JSON.' };
  }
};

/** Not `file.text()`: that drops a byte order mark and replaces what is not UTF-8, so another file would be checked than the one that was given. */
const fileFinding = async (app: App, file: File, typed: string): Promise<FileFinding> => {
  const text = fromUtf8(new Uint8Array(await file.arrayBuffer()));
  return text === undefined ? { good: false, text: 'The file is not a text in UTF-8.' } : findingOf(app, text, typed);
};

const draw = (app: App): HTMLElement => {
  const found = h('div', { role: 'status', class: 'findings' });
  const key = h('input', {
    type: 'text',
    id: 'check-key',
    placeholder: 'colibri.dev/log/\u2026',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const take = async (file: File): Promise<void> => {
    if (file.size > PAGE_LIMITS.checkBytes)
      return void found.prepend(
        findingView(file.name, {
          good: false,
          text: 'The file is too large to be read here: colibri verify takes files of any size.',
        }),
      );
    found.prepend(findingView(file.name, await fileFinding(app, file, key.value.trim())));
  };
  const takeAll = (files: FileList | null | undefined): void =>
    void [...(files ?? [])].forEach((file) => void take(file));
  const input = h('input', {
    type: 'file',
    id: 'check-file',
    multiple: true,
    on: { change: () => takeAll(input.files) },
  });
  const zone = h(
    'label',
    { class: 'drop', for: 'check-file' },
    h('span', {}, 'Drop a proof file, a checkpoint or receipts here, or choose one:'),
    input,
  );
  zone.addEventListener('dragover', (event) => event.preventDefault());
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    takeAll(event.dataTransfer?.files);
  });
  replace(found, none('Nothing was checked yet.'));
  return h(
    'div',
    {},
    h('h1', { tabindex: '-1' }, 'Check'),
    h('p', { class: 'lead' }, 'Files are read in this browser and go nowhere.'),
    h(
      'div',
      { class: 'filters' },
      h(
        'label',
        { class: 'grow', for: 'check-key' },
        h('span', {}, 'Key from elsewhere (otherwise the keys of this page)'),
        key,
      ),
    ),
    zone,
    found,
  );
};

export const CHECK: View = { name: 'check', title: 'Check', draw, state: () => '' };
