// Changes files in the user's state directory under the directory's lock, and tells the person when a command has to wait for the lock.
import type { HeldState } from '../files/held-file.js';
import { holdingState } from '../start/state-lock.js';
import { tell } from './screen/print.js';

export const changingState = <T>(stateDir: string, act: (held: HeldState) => Promise<T> | T): Promise<T> =>
  holdingState(stateDir, act, { onWait: (sentence) => tell(`colibri: ${sentence} …`) });
