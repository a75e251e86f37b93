// The gate between phase 1 and phase 2: calls that need the store wait here and then run; they do not fail for
// arriving early.
import type { Cancellation } from '../core/cancellation.js';
import type { ColibriError } from '../errors.js';
import type { Gate } from './context.js';

export interface PhaseGate extends Gate {
  open(): void;
  /** Calls are refused with `fault` until `open`. */
  fail(fault: ColibriError): void;
}

export const createGate = (): PhaseGate => {
  let state: 'waiting' | 'open' | ColibriError = 'waiting';
  const waiting = new Set<() => void>();
  const move = (next: typeof state): void => {
    state = next;
    gate.isOpen = state === 'open';
    for (const wake of waiting) wake();
    waiting.clear();
  };
  /** Resolves at the next move, or when the call is cancelled: then dispatch sees it. */
  const nextMove = (call: Cancellation): Promise<void> =>
    new Promise((resolve) => {
      const wake = () => {
        unlisten();
        waiting.delete(wake);
        resolve();
      };
      const unlisten = call.listen(wake);
      waiting.add(wake);
    });
  const gate = {
    isOpen: false,
    async pass(call: Cancellation) {
      if (state === 'waiting' && !call.aborted) await nextMove(call);
      if (typeof state === 'object') throw state;
    },
    open: () => move('open'),
    fail: (fault: ColibriError) => move(fault),
  };
  return gate;
};
