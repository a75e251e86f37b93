// The logs of other machines whose keys a person has accepted on this one. Their newest checkpoints are kept here as heads, so that this machine
// can show a rollback of their logs too, and a verification here knows their signatures.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly, systemCode } from '../../errors.js';
import { writeWhole } from '../../files/whole-file.js';
import { logIdIn } from '../../proof/checkpoint.js';
import { isVkey, type Verifier, vkeyOf } from '../../proof/verifier.js';
import type { Store } from '../../store/store.js';
import type { Heads } from '../heads.js';
import { openCheckpoint } from '../notes.js';
import { parseVkey } from '../tree.js';

export interface AcceptedKey {
  readonly log: string;
  readonly verifier: Verifier;
}

/** The folder with the accepted keys: a file for each log. */
export const acceptedKeysIn = (stateDir: string): string => join(stateDir, 'accepted');

const keyIn = (text: string | undefined): AcceptedKey | undefined => {
  const vkey = text?.trim() ?? '';
  const verifier = isVkey(vkey) ? parseVkey(vkey) : undefined;
  const log = verifier && logIdIn(verifier.name);
  return verifier && log ? { log, verifier } : undefined;
};

/** The keys that a person accepted; files that are not keys are left out. */
export const acceptedKeys = (folder: string): readonly AcceptedKey[] => {
  try {
    return readdirSync(folder).flatMap((name) => {
      const found = keyIn(quietly(() => readFileSync(join(folder, name), 'utf8')));
      return found?.log === name ? [found] : [];
    });
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
};

export const acceptKey = (folder: string, { log, verifier }: AcceptedKey): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, log);
  writeWhole(file, (fd) => writeFileSync(fd, `${vkeyOf(verifier)}\n`), { draft: `${file}.${process.pid}.part` });
};

/** Keeps the newest checkpoint of each accepted log as a head, if it is signed with the accepted key. Returns the logs of which one was new. */
export const keepOtherHeads = async (store: Store, heads: Heads, folder: string): Promise<readonly string[]> => {
  const kept: string[] = [];
  for (const { log, verifier } of acceptedKeys(folder)) {
    const newest = await store.read((tx) =>
      tx.get<{ size: number; note: string }>(
        'SELECT size, note FROM checkpoints WHERE log_id = ? ORDER BY no DESC LIMIT 1',
        log,
      ),
    );
    if (newest === undefined || newest.size <= heads.largest(log)) continue;
    const opened = openCheckpoint(newest.note, verifier);
    if ('refused' in opened) continue; // verify reports a checkpoint with another signature
    await heads.add(log, newest);
    await heads.thin(log);
    kept.push(log);
  }
  return kept;
};
