// `colibri prove`: writes a proof file for one thought, call or record.
import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { count } from '../core/figures.js';
import { proveThought } from '../domains/proofs/prove-thought.js';
import { findSession, findThought } from '../domains/trail/repository.js';
import { asError, ColibriError } from '../errors.js';
import { verifierFor } from '../ledger/heads.js';
import { coveringCheckpoint, heldProof, proveCall, proveRecord, type RecordPlace, readBody } from '../ledger/prove.js';
import { parsedObject } from '../proof/canonical-json.js';
import { vkeyOf } from '../proof/verifier.js';
import type { ReadTx, Store } from '../store/store.js';
import { ownLog, readingOnce, writingStore } from './access.js';
import { findStore, type PlaceOptions, type StoreAt } from './place.js';
import { findCall, type SearchPlace } from './records/call-find.js';
import { logInfo } from './records/record-repository.js';
import { storeCommand } from './run.js';
import { plain, sayExactly, sayJson, sayWhole, tell, tellExactly } from './screen/print.js';
import { signLog } from './signing.js';
import { parseTarget, placeOfTarget, type StoreTarget, wholeId, wrong } from './target.js';

const AFTER = `
The proof is a c2sp.org/tlog-proof@v1 file: the record, its path and the
signed checkpoint. Whoever has it and the public key of the log can check it
without this store. If no signature covers the record yet, the log is signed
first.

  colibri prove 0199a2f4-… --out decision.tlog-proof
                            a thought (its session must be sealed)
  colibri prove 3b241101-…  a call: its outcome, its intent, what the model was
                            told about the tool, and the approval it used
  colibri prove 3b2411      the same by the beginning of its id
  colibri prove 9f3c/17     record 17 of the log whose id begins with 9f3c

Exit codes: 0 written, 1 failed.`;

/** The record to prove; a signature of its log must cover it. */
interface Found {
  readonly place: RecordPlace;
  readonly thought?: string;
  /** Of the outcome of a call: the number of its intent. */
  readonly intent?: number;
  readonly what: string;
  /** The call of a record that is proved alone. */
  readonly callOfRecord?: string;
}

const thoughtPlace = async (tx: ReadTx, id: string): Promise<Found | undefined> => {
  const thought = await findThought(tx, id);
  if (thought === undefined) return undefined;
  const session = await findSession(tx, thought.session_id);
  if (session === undefined || session.finalized_at === null) {
    throw wrong(
      `The session of thought ${id} (${thought.session_id}) is not sealed yet, so there is no root to prove it by.`,
      'Seal the session with merkle_finalize; a session that Colibri opened is sealed when its task or process ends.',
    );
  }
  return { place: { log: session.log_id, seq: session.seq }, thought: id, what: `thought ${id}` };
};

const callPlace = async (place: SearchPlace, id: string): Promise<Found | undefined> => {
  const call = await findCall(place, id);
  if (call === undefined) return undefined;
  const { intent, outcome } = call;
  if (outcome === undefined) {
    throw wrong(
      `Call ${id} has no outcome yet.`,
      `The intent of the call is record ${intent.log_id}/${intent.seq}, which can be proved by that name.`,
    );
  }
  return {
    place: { log: outcome.log_id, seq: outcome.seq },
    intent: intent.seq,
    what: `the outcome of call ${id}, with its intent and its approvals`,
  };
};

/** Proves one record alone, also where it is one of the two of a call. */
const recordPlace = async (tx: ReadTx, target: StoreTarget & { readonly kind: 'place' }): Promise<Found> => {
  const place = await placeOfTarget(tx, target);
  const { kind, call } = parsedObject(await readBody(tx, place)) ?? {};
  const isOfCall = (kind === 'call.enter' || kind === 'call.exit') && typeof call === 'string';
  return { place, what: 'a record', ...(isOfCall && { callOfRecord: call }) };
};

const find = async (place: SearchPlace, text: string): Promise<Found> => {
  const { tx } = place;
  const target = parseTarget(await wholeId(place, text));
  if (target.kind === 'place') return recordPlace(tx, target);
  const found = (await thoughtPlace(tx, target.id)) ?? (await callPlace(place, target.id));
  if (found === undefined)
    throw wrong(
      `There is no thought and no call ${target.id} in this store.`,
      'Name another store with --db or --project.',
    );
  return found;
};

const fileFor = (tx: ReadTx, { place, thought, intent }: Found) => {
  if (thought !== undefined) return proveThought(tx, thought);
  return intent === undefined ? proveRecord(tx, place) : proveCall(tx, place, intent);
};

/** Makes the proof and verifies it; undefined if no signature covers the record yet. */
const make = async (tx: ReadTx, found: Found) => {
  const covering = await coveringCheckpoint(tx, found.place);
  if (covering === undefined) return undefined;
  const file = await fileFor(tx, found);
  if (file === undefined) return undefined;
  const { log } = found.place;
  const proof = await heldProof(tx, log, file);
  return { ...found, proof, size: covering.size, vkey: vkeyOf(await verifierFor(tx, log)) };
};

/** Signs the log of the record. Only the machine and user that write a log have its key. */
const signFor = async (at: StoreAt, store: Store, { log, seq }: RecordPlace): Promise<void> => {
  const own = await store.read((tx) => ownLog(tx, at));
  if (own !== log) {
    const info = await store.read((tx) => logInfo(tx, log));
    const remedy = info?.closed_at
      ? 'The log of the record is closed and its key is gone: no signature will ever cover the record.'
      : `Run \`colibri checkpoint\` as ${info?.node ?? 'whoever writes the log of the record'} first.`;
    throw new ColibriError('STORE_UNAVAILABLE', `No signature covers record ${log}/${seq} yet.`, { remedy });
  }
  await signLog(at, store, log);
};

const proofOf = async (at: StoreAt, text: string) => {
  const { found, ready } = await readingOnce(at, async (tx) => {
    const found = await find({ tx, path: at.path }, text);
    return { found, ready: await make(tx, found) };
  });
  if (ready !== undefined) return ready;
  return writingStore(at, async (store) => {
    await signFor(at, store, found.place);
    const made = await store.read((tx) => make(tx, found));
    if (made !== undefined) return made;
    throw new ColibriError('STORE_CORRUPT', 'The proof could not be made.', {
      remedy: '`colibri verify` says what is wrong.',
    });
  });
};

interface ProveOptions extends PlaceOptions {
  readonly out?: string;
  readonly force?: true;
}

/** Throws if the output file exists. Called before anything is signed. */
const assertFree = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw wrong(`${path} already exists and was not changed.`, 'Name another file, or add --force.');
};

const write = (path: string, text: string): void => {
  try {
    writeFileSync(path, text);
  } catch (thrown) {
    throw wrong(`The proof cannot be written: ${asError(thrown).message}`, 'Name another file with --out.');
  }
};

const prove = async (text: string, options: ProveOptions): Promise<number> => {
  const out = options.out === undefined ? undefined : resolve(options.out);
  if (out !== undefined && !options.force) assertFree(out);
  const { place, thought, what, callOfRecord, proof, size, vkey } = await proofOf(findStore(options), text);
  if (out !== undefined) write(out, proof);
  if (options.json) {
    sayJson({ ...place, ...(thought !== undefined && { thought }), size, vkey, ...(out && { out }), proof });
    return 0;
  }
  if (out === undefined) sayWhole(proof);
  const under = `under the signature over ${count(size, 'record')}`;
  tell(plain(`Proves ${what}: record ${place.seq} of log ${place.log}, ${under}.`));
  if (callOfRecord !== undefined)
    tell(plain(`This record alone: \`colibri prove ${callOfRecord}\` has the call with its approvals.`));
  tellExactly(plain(`To check the proof: colibri verify ${out ?? '<file>'} --key '${vkey}'`));
  if (out === undefined) return 0;
  tell('The proof was written to');
  sayExactly(out);
  return 0;
};

export const proveCommand = (): Command =>
  storeCommand('prove', 'write a proof of one record that a stranger can check', AFTER, prove)
    .argument('<record>', 'a thought id, a call id or the beginning of one, <log>/<seq> or <seq>')
    .option('--out <file>', 'where to write the proof; stdout if left out')
    .option('--force', 'write over a file that is there');
