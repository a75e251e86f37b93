// Loaded into a serving process by scripts/walk.mjs. Answers its questions on a socket: which functions ran since the last
// question, and, once they are marked, in which order. The marks are breakpoints whose condition writes a note and never holds.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const session = new Session();
session.connect();

/** The inspector answers in the same turn. @param {string} method @param {object} [params] */
const ask = (method, params) => {
  /** @type {any} */
  let answer;
  session.post(method, params, (error, result) => {
    answer = error === null ? result : undefined;
  });
  return answer;
};

/** @type {Map<string, string>} */
const scripts = new Map();
session.on('Debugger.scriptParsed', ({ params: { url, scriptId } }) => scripts.set(url, scriptId));
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Functions that ran since the last call of this. @param {{ under: string }} question */
const taken = ({ under }) =>
  ask('Profiler.takePreciseCoverage')
    .result.filter(({ url }) => url.startsWith(under))
    .map(({ url, functions }) => ({
      url,
      ranges: functions.map(({ ranges: [whole] }) => whole).filter(({ count }) => count > 0),
    }))
    .filter(({ ranges }) => ranges.length > 0);

/** @param {string} scriptId @param {string} text @param {number} offset */
const locationOf = (scriptId, text, offset) => {
  const before = text.slice(0, offset).split('\n');
  return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
};

/** Marks the first place inside each function where one could stop. @param {{ files: ReturnType<typeof taken> }} question */
const mark = ({ files }) => {
  globalThis.colibriWalk = [];
  ask('Debugger.enable');
  for (const { url, ranges } of files) {
    const scriptId = scripts.get(url);
    const text = readFileSync(fileURLToPath(url), 'utf8');
    const condition = `(globalThis.colibriWalk.push(${JSON.stringify(url)}), false)`;
    for (const { startOffset, endOffset } of ranges) {
      const [start, end] = [startOffset, endOffset].map((offset) => locationOf(scriptId, text, offset));
      const [first] = ask('Debugger.getPossibleBreakpoints', { start, end, restrictToFunction: true })?.locations ?? [];
      if (first) ask('Debugger.setBreakpoint', { location: first, condition });
    }
  }
};

/** The files whose marks were passed, in the order in which each was passed first. */
const order = () => [...new Set(globalThis.colibriWalk.splice(0))];

const ANSWERS = { taken, mark, order };

createServer((socket) => {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    if (!text.endsWith('\n')) return;
    const { name, ...question } = JSON.parse(text);
    socket.end(JSON.stringify(ANSWERS[name](question) ?? null));
  });
})
  .listen(process.env.WALK_SOCKET)
  .unref();
