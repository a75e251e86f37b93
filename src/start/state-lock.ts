// The lock on the user's state directory. Every command that changes files which other commands also change (approvals, secrets, switchboard
// files, the record of init, known projects) does so inside `holdingState`. The kernel drops the lock when the process dies, however it dies.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ColibriError, systemCode } from '../errors.js';
import { HeldState, removeDrafts } from '../files/held-file.js';
import { holdLock } from '../store/sqlite/lock.js';
import { START_LIMITS } from './limits.js';

export const stateLockFile = (stateDir: string): string => join(stateDir, 'state.lock');

export interface Waiting {
  readonly waitMs?: number;
  /** Called once, with a sentence for a person, if the wait for the lock takes longer than `START_LIMITS.stateLockNoticeMs`. */
  readonly onWait?: (sentence: string) => void;
}

const NOTICE = 'waiting for another colibri command that changes the same files';

const busy = (): ColibriError =>
  new ColibriError('STORE_BUSY', 'Another colibri command is still changing the same files.', {
    remedy: 'Nothing was changed; try again when it has ended.',
  });

const notWritable = (dir: string, why: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `${dir} cannot be written: ${why}.`, {
    remedy:
      'Nothing was changed. Colibri keeps approvals, secrets and its lock there: give this user the right to write it.',
  });

const explained = (dir: string, thrown: unknown): unknown => {
  if (thrown instanceof ColibriError) return thrown.code === 'STORE_BUSY' ? busy() : notWritable(dir, thrown.message);
  const code = systemCode(thrown);
  return code === undefined ? thrown : notWritable(dir, `the system says ${code}`);
};

const lockOf = async (dir: string, waitMs: number): Promise<() => void> => {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return await holdLock(stateLockFile(dir), waitMs);
  } catch (thrown) {
    throw explained(dir, thrown);
  }
};

/** Waits for the lock of the state directory, removes drafts that killed commands left, then runs `act`. Calls must not be nested. */
export const holdingState = async <T>(
  stateDir: string,
  act: (held: HeldState) => Promise<T> | T,
  { waitMs = START_LIMITS.stateLockMs, onWait }: Waiting = {},
): Promise<T> => {
  const notice = setTimeout(() => onWait?.(NOTICE), START_LIMITS.stateLockNoticeMs);
  const release = await lockOf(stateDir, waitMs).finally(() => clearTimeout(notice));
  try {
    const held = new HeldState(stateDir);
    removeDrafts(held);
    return await act(held);
  } finally {
    release();
  }
};
