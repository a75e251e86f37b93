// Makes a proof file of one record out of the page: the siblings on its path are in the multiproof, or follow from shown records.
import { canonicalJson } from '../../proof/canonical-json.js';
import { inclusionRanges } from '../../proof/merkle-proof.js';
import { openMultiproof } from '../../proof/multiproof.js';
import { writeProof } from '../../proof/proof-file.js';
import { logIdOf } from '../model/model.js';
import { numberIn } from '../model/read.js';
import type { App } from './app.js';
import { pageHashes } from './checking.js';
import { type Child, h, replace } from './dom.js';
import { standingOfRecord, verdictOn } from './marks.js';
import { button } from './parts.js';

/** The c2sp.org/tlog-proof@v1 file of a shown record; undefined if the checkpoint does not cover it. */
export const proofOf = (app: App, logId: string, seq: number): string | undefined => {
  const log = app.data.logs.find((one) => logIdOf(one) === logId);
  const size = verdictOn(app, logId)?.signed ?? 0;
  const record = log?.records.find((one) => one.seq === seq);
  if (log === undefined || record === undefined || log.checkpoint === null || seq >= size) return undefined;
  const covered = log.records.filter((one) => (numberIn(one.seq) ?? size) < size);
  const indexes = covered.map((one) => numberIn(one.seq) ?? -1);
  const leaves = covered.map((one) => pageHashes.leaf(canonicalJson(one)));
  const path = openMultiproof(pageHashes.node, { size, indexes, hashes: leaves, nodes: log.nodes })?.path(
    inclusionRanges(seq, size),
  );
  return path && writeProof({ extra: { record: canonicalJson(record) }, index: seq, path, checkpoint: log.checkpoint });
};

const shown = (proof: string, vkey: string): Child => {
  const area = h('textarea', { readonly: true, rows: 8, 'aria-label': 'The proof file', class: 'proof' }, proof);
  return [
    area,
    h(
      'p',
      {},
      'Save it as a file and check it with: ',
      h('code', {}, `colibri verify record.tlog-proof --key '${vkey}'`),
    ),
  ];
};

export const proofButton = (app: App, log: string, seq: number): HTMLElement => {
  const place = h('div', {});
  if (standingOfRecord(app, log, seq) !== 'proved') return place;
  const copy = button('Copy proof', () => {
    const proof = proofOf(app, log, seq);
    if (proof === undefined) return;
    const said = h('span', { role: 'status' });
    replace(place, shown(proof, verdictOn(app, log)?.vkey ?? ''), said);
    place.querySelector('textarea')?.select();
    void navigator.clipboard?.writeText(proof).then(
      () => replace(said, 'Copied.'),
      () => replace(said, 'Select the text and copy it.'),
    );
  });
  place.append(copy);
  return place;
};
