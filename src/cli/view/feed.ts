// Sends what is recorded to the pages that follow (server-sent events): records in batches, word of new signatures, and `resync` to a reader that
// is too far behind, or has what the store no longer has. Nothing is kept for a reader but its position: what it has not been sent is read from the store when it is sent.
import type { ServerResponse } from 'node:http';
import { CLI_LIMITS } from '../limits.js';
import { pause } from '../until-stopped.js';
import { logsNow, recordsAfter } from './data.js';
import { positionText, type ViewPosition } from './position.js';
import type { ViewSource } from './source.js';

interface Standing {
  readonly ends: ViewPosition;
  readonly signed: ViewPosition;
}

const behind = (ends: ViewPosition, at: ViewPosition): number =>
  [...ends].reduce((sum, [log, size]) => sum + Math.max(0, size - (at.get(log) ?? 0)), 0);

/** Whether the store has less than the reader: it was restored, or is another one. */
const wentBack = (ends: ViewPosition, at: ViewPosition): boolean =>
  [...at].some(([log, size]) => (ends.get(log) ?? 0) < size);

/** The logs with a signature that the reader was not told of. */
const newlySigned = (signed: ViewPosition, told: ViewPosition): string[] =>
  [...signed].filter(([log, size]) => size > (told.get(log) ?? 0)).map(([log]) => log);

const event = (name: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Writes and waits until the reader took it; false if the reader is gone or takes nothing for too long. */
const sent = async (response: ServerResponse, text: string, signal: AbortSignal): Promise<boolean> => {
  if (response.destroyed) return false;
  if (response.write(text)) return true;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      for (const name of ['drain', 'close']) response.off(name, done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), CLI_LIMITS.viewStallMs);
    for (const name of ['drain', 'close']) response.once(name, done);
    signal.addEventListener('abort', done, { once: true });
  });
  return !response.destroyed;
};

/** One step: sends a batch, or word of signatures. Returns the reader's new standing; undefined if it is gone or was told to begin anew. */
const step = async (
  source: ViewSource,
  response: ServerResponse,
  reader: Standing,
  signal: AbortSignal,
): Promise<Standing | undefined> => {
  const now = await logsNow(source);
  const left = behind(now.ends, reader.ends);
  if (left > CLI_LIMITS.viewBehind || wentBack(now.ends, reader.ends)) {
    await sent(response, event('resync', { behind: left }), signal);
    return undefined;
  }
  if (left > 0) {
    const { data, next } = await recordsAfter(source, reader.ends);
    return (await sent(response, event('records', data, positionText(next)), signal))
      ? { ...reader, ends: next }
      : undefined;
  }
  const logs = newlySigned(now.signed, reader.signed);
  if (logs.length === 0) return reader;
  const text = event(
    'signed',
    logs.map((log) => ({ log })),
    positionText(reader.ends),
  );
  return (await sent(response, text, signal)) ? { ...reader, signed: now.signed } : undefined;
};

/** Follows the store for one reader, from the position `from`, until the reader goes or `signal` is aborted. */
export const feed = async (
  source: ViewSource,
  response: ServerResponse,
  from: ViewPosition,
  signal: AbortSignal,
): Promise<void> => {
  // A signature may have come since the reader got its data, so the first word is of all that there are.
  let reader: Standing | undefined = { ends: from, signed: new Map() };
  if (!(await sent(response, `retry: ${CLI_LIMITS.viewRetryMs}\n\n`, signal))) return;
  let quiet = 0;
  while (!signal.aborted && !response.destroyed) {
    const before: Standing = reader;
    reader = await step(source, response, before, signal);
    if (reader === undefined) break;
    // A comment now and then shows a reader that went without a word.
    quiet = reader === before ? quiet + CLI_LIMITS.viewPauseMs : 0;
    if (quiet >= CLI_LIMITS.viewQuietMs) {
      if (!(await sent(response, ': here\n\n', signal))) break;
      quiet = 0;
    }
    await pause(CLI_LIMITS.viewPauseMs, signal);
  }
  response.end();
};
