// What a run is doing, on stderr: one line that is written over on a terminal, else a line for every step.
const CLEAR = '\r\u001b[K';
const EVERY_MS = 1_000;

/** @param {{ isTTY?: boolean, columns?: number, write(text: string): unknown }} stream */
export const progressOn = (stream) => {
  const began = performance.now();
  let text = '';
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    stream.write(`${CLEAR}${`${seconds} s  ${text}`.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  const timer = stream.isTTY === true ? setInterval(show, EVERY_MS).unref() : undefined;
  return {
    /** @param {string} step */
    say: (step) => {
      text = step;
      if (stream.isTTY === true) show();
      else stream.write(`${step}\n`);
    },
    end: () => {
      clearInterval(timer);
      if (stream.isTTY === true) stream.write(CLEAR);
    },
  };
};
