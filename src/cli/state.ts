// How a command changes files of the user: under the lock, and telling the person what it waits for.
import type { HeldState } from '../files/held-file.js';
import { holdingState } from '../start/state-lock.js';
import { tell } from './screen/print.js';

export const changingState = <T>(stateDir: string, act: (held: HeldState) => Promise<T> | T): Promise<T> =>
  holdingState(stateDir, act, { onWait: (sentence) => tell(`colibri: ${sentence} …`) });
