// The command `colibri checkpoint`: signs the log, copies the signed head (size and root) elsewhere, replaces the key with --rotate.
import { join } from 'node:path';
import type { Command } from 'commander';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import type { SignedHead } from '../../ledger/heads.js';
import { rotateKey } from '../../ledger/rotate.js';
import type { Store } from '../../store/store.js';
import { areOnOneDisk } from '../../verify/verdict/custody.js';
import { assertMayWrite, assertThere, ownLog, writingStore } from '../access.js';
import { confirmed } from '../confirm.js';
import { findStore, logOptions, type PlaceOptions, type StoreAt } from '../place.js';
import { storeCommand } from '../run.js';
import { plain, say, sayExactly, sayJson, sayWhole, tell } from '../screen/print.js';
import { publish, signerOf, signLog } from '../signing.js';
import { wrong } from '../target.js';
import { type HeadTarget, parseHeadTarget, putHead } from './head-copy.js';

const AFTER = `
Signs the log of this user on this machine if it has grown since the last
signature. A server does that by itself every minute; this command can also put
a copy where somebody who can change the store cannot change the copy.

  colibri checkpoint             size and root
  colibri checkpoint --print     the signed note and the key to check it with
  colibri checkpoint --to file:/mnt/usb/
                                 a copy on another disk: a file, or a folder
                                 (with a slash at the end it must be there)
  colibri checkpoint --to git:~/heads
                                 committed to a git repository; push it
                                 somewhere
  colibri checkpoint --rotate    a new key and a new log; the old one names it
                                 and is signed a last time. Asks first

Later: colibri verify --head <that file>
Exit codes: 0 signed (and copied), 1 failed, 130 Ctrl-C at the question:
nothing was changed.`;

interface CheckpointOptions extends PlaceOptions {
  readonly to?: string;
  readonly print?: true;
  readonly rotate?: true;
  readonly yes?: true;
}

const assertMayRotate = ({ keyFile, keysDir }: StoreAt, log: string): void => {
  if (keyFile === undefined) return;
  throw wrong(
    `COLIBRI_KEY_FILE names one key, ${keyFile}, and a new log needs a new one.`,
    `Move the key to ${join(keysDir, log)}, unset COLIBRI_KEY_FILE everywhere, and rotate again.`,
  );
};

/** Closes the log and opens a successor with a new key. Returns the id of the log that was closed. */
const rotate = async (at: StoreAt, store: Store, log: string): Promise<string> => {
  assertMayRotate(at, log);
  await signLog(at, store, log); // fails, before a key is made, if the log must not be signed
  let last: SignedHead | undefined;
  const { previous } = await rotateKey(logOptions(at, store), async (tx, old) => {
    last = await signerOf(at, store, old).signIn(tx);
  });
  if (last !== undefined) await publish(at, previous, last);
  return previous;
};

const work = (at: StoreAt, target: HeadTarget | undefined, rotates: boolean) =>
  writingStore(at, async (store) => {
    const open = () => store.read((tx) => ownLog(tx, at));
    const previous = rotates ? await rotate(at, store, await open()) : undefined;
    const signed = await signLog(at, store, await open());
    const put = target && (await putHead(store, signed, target));
    const copy = put && { ...put, same_disk: areOnOneDisk(put.path, at.path) };
    return { ...signed, ...(previous !== undefined && { previous }), ...(copy && { copy }) };
  });

/**
 * The warning if the copy is on the same disk as the store. This also happens if another disk should be mounted at the copy's folder and is
 * not.
 */
const SAME_DISK =
  'This copy is on the same disk as the store and would be lost with it. If another disk should be mounted there, it is not mounted.';

/** Prints a line with control characters made harmless: it may hold text from the store. */
const sayPlain = (line: string): void => say(plain(line));

const show = (done: Awaited<ReturnType<typeof work>>, at: StoreAt, print: boolean): void => {
  const { log, size, root, fresh, previous, copy, note, vkey } = done;
  if (previous !== undefined) {
    sayPlain(
      `Log ${previous} is closed; new records go to log ${log}. Restart the servers that run, so that they use it.`,
    );
    sayPlain(`The old key is no longer used: ${join(at.keysDir, previous)}`);
  }
  sayPlain(`log ${log}: ${count(size, 'record')}, ${fresh ? 'signed now' : 'nothing new since the last signature'}`);
  say(`root ${root}`);
  if (copy) sayPlain(`${copy.written ? 'Put at' : 'Already at'} ${copy.path}`);
  if (copy?.same_disk) say(SAME_DISK);
  if (!print) return;
  sayExactly(plain(`key ${vkey}`));
  say();
  sayWhole(note);
};

const agreed = (): Promise<boolean> => {
  tell('This log ends, and a new one with a new key begins. The old key will sign nothing more.');
  tell('After a new key, Colibri servers that run must be restarted, so that they use the new log.');
  return confirmed('Replace the key?');
};

const checkpoint = async (options: CheckpointOptions): Promise<number> => {
  const target = options.to === undefined ? undefined : parseHeadTarget(options.to);
  const at = findStore(options);
  assertMayWrite(at);
  assertThere(at);
  if (options.rotate && options.yes !== true && !(await agreed())) {
    tell('Nothing was changed.');
    return EXIT_FAILED;
  }
  const done = await work(at, target, options.rotate === true);
  const { unpublished, ...rest } = done;
  if (options.json) sayJson({ ...rest, ...(unpublished && { unpublished: unpublished.message }) });
  else show(done, at, options.print === true);
  return unpublished === undefined ? 0 : EXIT_FAILED;
};

export const checkpointCommand = (): Command =>
  storeCommand('checkpoint', 'sign the log as it is, and copy the signed head elsewhere', AFTER, checkpoint)
    .option('--to <place>', 'also copy it to file:<path> or git:<folder>')
    .option('--print', 'print the signed note and the key')
    .option('--rotate', 'replace the signing key: a new log succeeds this one')
    .option('--yes', 'do not ask');
