// The last warnings and errors of the log file that every process of the user writes (src/log-file.ts).
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../limits.js';

export interface Message {
  readonly at: string;
  readonly level: string;
  readonly text: string;
}

/** `2026-11-15T20:00:00.000Z 4711 warn  text` */
const LINE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) \d+ (warn|error) +(.*)$/;
const TEXT_CHARS = 300;

/** The last bytes of a file; the first line of them may be cut, and then is none. */
const endOf = (path: string): string => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return '';
  const length = Math.min(stats.size, LIMITS.doctorLogBytes);
  const bytes = Buffer.alloc(length);
  const fd = openSync(path, 'r');
  try {
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, length, stats.size - length));
  } finally {
    closeSync(fd);
  }
};

/** The newest of them, oldest first, and how many of the errors are news. A full file was just put aside. */
export const lastMessages = (folder: string, nowMs: number): { readonly recent: number; readonly last: Message[] } => {
  const text = ['colibri.1.log', 'colibri.log'].map((name) => endOf(join(folder, name))).join('\n');
  const all = text.split('\n').flatMap((line): Message[] => {
    const [, at, level, said] = LINE.exec(line) ?? [];
    return at === undefined || level === undefined ? [] : [{ at, level, text: (said ?? '').slice(0, TEXT_CHARS) }];
  });
  const isNews = ({ at, level }: Message): boolean => level === 'error' && nowMs - Date.parse(at) < LIMITS.doctorNewsMs;
  return { recent: all.filter(isNews).length, last: all.slice(-LIMITS.doctorMessages) };
};
