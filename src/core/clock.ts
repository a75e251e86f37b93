// The wall clock as records carry it: ISO 8601, UTC, milliseconds. The text is made once per millisecond.

export type Clock = () => string;

export const isoClock = (epochMs: () => number = Date.now): Clock => {
  let lastMs = Number.NaN;
  let text = '';
  return () => {
    const nowMs = epochMs();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = new Date(nowMs).toISOString();
    }
    return text;
  };
};
