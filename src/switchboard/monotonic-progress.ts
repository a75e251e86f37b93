// Progress must grow: what is reported by whoever gets a call next counts on from where the one before ended.
import type { JsonObject } from '../proof/json-object.js';

export interface MonotonicProgress {
  readonly pass: (params: JsonObject) => void;
  /** The call begins anew. */
  begin(): void;
}

export const monotonicProgress = (onProgress: (params: JsonObject) => void): MonotonicProgress => {
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
