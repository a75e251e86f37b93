// The gate between phase 1 (the transport is up) and phase 2 (the store is open): calls that need the store wait here instead of
// failing because they arrived early.
import type { Cancellation } from '../core/cancellation.js';
import type { ColibriError } from '../errors.js';
import type { Gate } from './context.js';

export interface PhaseGate extends Gate {
  open(): void;
  /** Makes calls wait again until the gate opens or fails. */
  wait(): void;
  /** Makes the gate refuse every call, with `fault` as the error, until `open` is called. */
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
  /** Resolves when the gate opens or fails, or when the call is cancelled; the dispatch stage then handles the cancellation. */
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
    wait: () => move('waiting'),
    fail: (fault: ColibriError) => move(fault),
  };
  return gate;
};
