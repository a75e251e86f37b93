// Reads the log of one server: the current file and the rotated ones, which several Colibri processes may be writing.
import * as fs from 'node:fs';
import { quietly } from '../../errors.js';
import { logFilePath } from '../../start/log-file.js';
import { SERVER_LOG } from '../../switchboard/config/server-log-place.js';
import { SWITCHBOARD_LIMITS } from '../../switchboard/limits.js';

export interface ServerLine {
  /** The time of the line, ISO 8601 UTC. */
  readonly at: string;
  /** The process of the server that wrote the line; for Colibri's own lines, the Colibri process. */
  readonly pid: number;
  readonly by: 'server' | 'colibri';
  readonly text: string;
}

/** A line of a server's log (switchboard/logs/server-log.ts): `2026-11-15T20:00:00.000Z 4711 | text`, with `*` for Colibri's own. */
const LINE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (\d+) ([|*]) (.*)$/;

export const parseServerLine = (line: string): ServerLine | undefined => {
  const [, at, pid, mark, text] = LINE.exec(line) ?? [];
  if (at === undefined || text === undefined) return undefined;
  return { at, pid: Number(pid), by: mark === '*' ? 'colibri' : 'server', text };
};

/** The paths of a server's log files that exist, the oldest first. */
export const logFilesIn = (dir: string): readonly string[] =>
  Array.from({ length: SWITCHBOARD_LIMITS.serverLogFiles }, (_, age) => logFilePath(dir, SERVER_LOG, age))
    .filter((path) => fs.existsSync(path))
    .toReversed();

/** The last `most` lines of a server's log, the oldest first. Lines that are not as Colibri writes them are left out. */
export const lastLines = (dir: string, most: number): readonly ServerLine[] => {
  let lines: readonly ServerLine[] = [];
  for (const path of logFilesIn(dir).toReversed()) {
    if (lines.length >= most) break;
    // The file may have been rotated away since its path was found.
    const text = quietly(() => fs.readFileSync(path, 'utf8')) ?? '';
    lines = [...text.split('\n').flatMap((line) => parseServerLine(line) ?? []), ...lines];
  }
  return lines.slice(-most);
};
