// Runs recorded health transitions through the health machine again. A different result means that the record was changed, or that this
// version of the machine decides differently.

import type { Transition } from './event.js';
import { stepHealth } from './machine.js';

export interface Mismatch {
  readonly index: number;
  readonly recorded: Transition['to'];
  readonly replayed: Transition['to'];
}

const codeOf = (reason: Transition['reason']): string | undefined => reason?.code;

export const replay = (transitions: readonly Transition[]): readonly Mismatch[] =>
  transitions.flatMap((recorded, index) => {
    const { effects } = stepHealth(recorded.before, recorded.event, recorded.at);
    const again = effects.find((effect) => effect.do === 'record');
    const replayed = again === undefined ? recorded.before.state : again.to;
    const isSame = replayed === recorded.to && codeOf(again?.reason ?? null) === codeOf(recorded.reason);
    return isSame ? [] : [{ index, recorded: recorded.to, replayed }];
  });
