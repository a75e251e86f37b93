// The log of the process: stderr, which most clients hide, and a bounded file that all processes of the user share. Logging never throws
// and never stops the server: if the file cannot be written, a note says so once and the file is given up. Writes are synchronous, so that
// the last line before a crash is in the file.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { LogLevel } from '../config.js';
import { plain } from '../core/plain.js';
import { ColibriError, quietly, systemCode } from '../errors.js';
import { redactText } from '../redact/redact.js';
import { START_LIMITS } from './limits.js';

export interface LogFile {
  /** Appends one line (given without its line feed) to the log file. Returns a note for a person once, when writing has failed and is given up. */
  write(line: string): string | undefined;
  /** Gives the descriptor back until the next line is written. */
  rest(): void;
  close(): void;
}

export interface LogFileOptions {
  readonly dir: string;
  /** The file's name without `.log`. */
  readonly name?: string;
  readonly files?: number;
  readonly fileBytes?: number;
  /** The wall clock in milliseconds, from which the age of another process's lock is computed. */
  readonly now?: () => number;
}

export type Log = (level: LogLevel, ...parts: readonly unknown[]) => void;

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly stderr: (line: string) => void;
  readonly file?: LogFile | undefined;
  /** The wall clock in milliseconds since 1970. */
  readonly now: () => number;
}

const OWN_LOG = 'colibri';

/** The path of a log file; with an `age` from 1 on, of the file that was rotated so many times. */
export const logFilePath = (dir: string, name: string, age: number): string =>
  join(dir, age === 0 ? `${name}.log` : `${name}.${age}.log`);

/** A log file, which is opened when the first line is written. */
export const openLogFile = (options: LogFileOptions): LogFile => {
  const { dir, files = START_LIMITS.logFiles, fileBytes = START_LIMITS.logFileBytes, now = Date.now } = options;
  const { name = OWN_LOG } = options;
  const path = logFilePath(dir, name, 0);
  let state: { readonly fd: number; readonly stats: fs.Stats } | 'unopened' | 'ended' = 'unopened';

  const release = (next: typeof state): void => {
    if (typeof state === 'object') fs.closeSync(state.fd);
    state = next;
  };
  /** Opens the file that has the log's name now, with room for `bytes`: another process may have renamed the file that this process has open. */
  const settle = (bytes: number): number => {
    // The file is opened again only a few times: some network file systems never report the same inode twice.
    for (let tries = 0; tries < START_LIMITS.logFileTries; tries += 1) {
      const named = fs.statSync(path, { throwIfNoEntry: false });
      if (typeof state !== 'object' || !isSame(named, state.stats)) {
        const isFirst = state === 'unopened';
        release('unopened');
        state = openForAppending(dir, path);
        if (isFirst) endTornLine(state.fd, state.stats.size);
      } else if (!isFull(named, bytes, fileBytes) || !rotate({ dir, name, path, files, fileBytes, bytes, now })) {
        break; // while another process rotates, the line goes into the full file
      }
    }
    if (typeof state !== 'object') throw new Error('it cannot be opened');
    return state.fd;
  };

  return {
    write: (line) => {
      if (state === 'ended') return undefined;
      try {
        const bytes = encodeLine(line, longestLine(fileBytes));
        if (fs.writeSync(settle(bytes.length), bytes) < bytes.length) throw new Error('the disk is full');
        return undefined;
      } catch (thrown) {
        quietly(() => release('ended'));
        state = 'ended';
        return `the log file ${path} is no longer written: ${thrown instanceof Error ? thrown.message : thrown}`;
      }
    },
    rest: () => {
      if (state !== 'ended') quietly(() => release('unopened'));
    },
    close: () => {
      quietly(() => release('ended'));
      state = 'ended';
    },
  };
};

/** Makes a logger that writes `2026-11-15T20:00:00.000Z 4711 info  text` to the file, which several processes share, and `[colibri] text` to stderr. */
export const createLogger = ({ level, stderr, file, now }: LoggerOptions): Log => {
  return (lineLevel, ...parts) => {
    if (RANK[lineLevel] > RANK[level]) return;
    const text = render(parts);
    stderr(`[colibri] ${text}`);
    const note = file?.write(`${new Date(now()).toISOString()} ${process.pid} ${lineLevel.padEnd(5)} ${text}`);
    if (note !== undefined) stderr(`[colibri] ${escapeControls(note)}`);
  };
};

const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** The most bytes of one line: a sixteenth of a log file, so that no line displaces the others. */
const longestLine = (fileBytes: number): number => Math.floor(fileBytes / START_LIMITS.logFileLines);

const render = (parts: readonly unknown[]): string => {
  const text = parts.map(renderPart).join(' ');
  // People send logs to others for help, so secrets are removed, before the text is cut.
  return escapeControls(redactText(text).slice(0, longestLine(START_LIMITS.logFileBytes)));
};

const renderPart = (part: unknown): string => {
  if (typeof part === 'string') return part;
  try {
    if (part instanceof ColibriError) return [`${part.code}: ${part.message}`, part.remedy].filter(Boolean).join(' ');
    if (part instanceof Error) return part.stack ?? String(part);
    return inspect(part, { breakLength: Number.POSITIVE_INFINITY, compact: true, customInspect: false });
  } catch {
    return '(a value that cannot be shown)';
  }
};

/** Escapes controls, since text from other programs must not forge lines or control a terminal. Line ends and tabs become `\n`, `\r` and `\t`. */
const escapeControls = (text: string): string => plain(text.replace(/[\n\r\t]/g, (char) => SHORT[char] ?? char));

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The bytes of a line with its line feed, at most `most` bytes, never cut inside a character. */
const encodeLine = (line: string, most: number): Buffer => {
  const bytes = Buffer.from(`${line}\n`);
  if (bytes.length <= most) return bytes;
  const mark = Buffer.from('…\n');
  let end = Math.max(0, most - mark.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.concat([bytes.subarray(0, end), mark]);
};

const openForAppending = (dir: string, path: string): { fd: number; stats: fs.Stats } => {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  // O_APPEND: lines of several processes never overwrite each other. O_NONBLOCK: if the path is a pipe, opening it does not block.
  const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_APPEND | fs.constants.O_NONBLOCK;
  const fd = fs.openSync(path, flags, 0o600);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return { fd, stats };
  } catch (thrown) {
    fs.closeSync(fd);
    throw thrown;
  }
};

/**
 * Ends the file's last line if it is incomplete, as after a full disk, so that the next line is not appended to it. Runs once per process:
 * a line that another process is just writing looks incomplete too, and would be followed by an empty line.
 */
const endTornLine = (fd: number, size: number): void => {
  const last = Buffer.alloc(1);
  if (size > 0 && fs.readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a) fs.writeSync(fd, '\n');
};

const isSame = (named: fs.Stats | undefined, held: fs.Stats): named is fs.Stats =>
  named !== undefined && named.ino === held.ino && named.dev === held.dev;

const isFull = (file: fs.Stats, bytes: number, fileBytes: number): boolean =>
  file.size > 0 && file.size + bytes > fileBytes;

interface Rotation extends Required<LogFileOptions> {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Renames the log file to `….1.log`, that one to `….2.log` and so on, and removes the oldest. Returns false if another process is rotating. The lock is a
 * folder, because mkdir is atomic everywhere. The size is checked again under the lock: if two processes found the same file full, the
 * second would otherwise rotate the first one's new file away.
 */
const rotate = ({ dir, name, path, files, fileBytes, bytes, now }: Rotation): boolean => {
  const lock = `${path}.lock`;
  if (!takeLock(lock, now)) return false;
  try {
    const named = fs.statSync(path, { throwIfNoEntry: false });
    if (named === undefined || !isFull(named, bytes, fileBytes)) return true;
    const aged = (age: number): string => logFilePath(dir, name, age);
    fs.rmSync(aged(files - 1), { force: true });
    for (let age = files - 1; age > 0; age -= 1) renameIfThere(aged(age - 1), aged(age));
    return true;
  } finally {
    quietly(() => fs.rmdirSync(lock));
  }
};

const takeLock = (lock: string, now: () => number): boolean => {
  try {
    fs.mkdirSync(lock, { mode: 0o700 });
    return true;
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
    const held = fs.statSync(lock, { throwIfNoEntry: false });
    // A stale lock is removed but not taken; the next line that is logged tries to rotate again. So two processes that see a stale lock do not both rotate.
    if (held && now() - held.mtimeMs > START_LIMITS.rotationMs) quietly(() => fs.rmdirSync(lock));
    return false;
  }
};

const renameIfThere = (from: string, to: string): void => {
  try {
    fs.renameSync(from, to);
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw thrown;
  }
};
