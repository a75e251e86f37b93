// What a thread that waits for the database server and the thread that talks to the server say to each other.
import type { SqlValue } from '../store.js';

export type BlockingRequest =
  | { readonly kind: 'query'; readonly sql: string; readonly params: readonly SqlValue[]; readonly asArrays: boolean }
  /** Ends the snapshot. There is no answer: the next request waits for it anyway. */
  | { readonly kind: 'end' }
  | { readonly kind: 'close' };

export type BlockingReply =
  | { readonly rows: readonly unknown[] }
  /** An error that says nothing about the contents of the store. */
  | {
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly remedy?: string;
        readonly engine?: string;
      };
    }
  /** An error that the contents of the store caused. */
  | { readonly fault: string; readonly isValue: boolean };

/** The state of the cell on which the asking thread waits. */
export const CELL = { waiting: 0, answered: 1, gone: 2 } as const;

export interface BlockingThreadData {
  readonly url: string;
  readonly cell: SharedArrayBuffer;
}
