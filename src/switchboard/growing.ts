// Progress must grow: what is reported by whoever gets a call next counts on from where the one before ended.
import type { Members } from '../call/peer.js';

export interface Growing {
  readonly pass: (params: Members) => void;
  /** The call begins anew. */
  begin(): void;
}

export const growing = (onProgress: (params: Members) => void): Growing => {
  let [base, highest] = [0, 0];
  return {
    pass: (params) => {
      const { progress, total } = params;
      if (typeof progress === 'number') highest = Math.max(highest, base + progress);
      const raised = (value: unknown): unknown => (typeof value === 'number' ? base + value : value);
      onProgress({ ...params, progress: raised(progress), ...(total !== undefined && { total: raised(total) }) });
    },
    begin: () => {
      base = highest;
    },
  };
};
