// Keeps the progress numbers of a call increasing, as MCP demands: if a call is attempted again, the numbers of the new attempt are added
// to the highest number of the last attempt.
import type { JsonObject } from '../proof/canonical-json.js';

export interface MonotonicProgress {
  readonly pass: (params: JsonObject) => void;
  /** Reports that a new attempt of the call begins. */
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
