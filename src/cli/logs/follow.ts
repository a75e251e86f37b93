// Follows the log of one server: prints lines as they are written, also when the file appears later or is rotated meanwhile.
import * as fs from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { logFilePath } from '../../start/log-file.js';
import { SERVER_LOG } from '../../switchboard/config/server-log-place.js';
import { CLI_LIMITS } from '../limits.js';
import { parseServerLine, type ServerLine } from '../switchboard/server-lines.js';
import { pause, untilStopped } from '../until-stopped.js';

/** Reads the lines that were added to a file since the last reading. An open file is read to its end even if it was renamed. */
class Follower {
  readonly #path: string;
  #fd: number | undefined;
  #ino = 0;
  #decoder = new StringDecoder('utf8');
  #rest = '';

  /** `isFromEnd`: whether lines that are in the file already are skipped. */
  constructor(path: string, isFromEnd: boolean) {
    this.#path = path;
    if (this.#open() && isFromEnd && this.#fd !== undefined) while (this.#read() > 0) this.#rest = '';
    this.#rest = '';
  }

  /** The new lines. If the file was rotated, those of the old file come first. */
  next(): readonly ServerLine[] {
    const before = this.#taken();
    const named = fs.statSync(this.#path, { throwIfNoEntry: false });
    if (named === undefined || named.ino === this.#ino) return before;
    // More may have been written to the old file before it was renamed.
    const last = this.#taken();
    this.close();
    this.#open();
    return [...before, ...last, ...this.#taken()];
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
    this.#rest = '';
    this.#decoder = new StringDecoder('utf8');
  }

  #open(): boolean {
    if (!fs.existsSync(this.#path)) return false;
    this.#fd = fs.openSync(this.#path, 'r');
    this.#ino = fs.fstatSync(this.#fd).ino;
    return true;
  }

  #taken(): readonly ServerLine[] {
    while (this.#read() > 0);
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => parseServerLine(line) ?? []);
  }

  #read(): number {
    if (this.#fd === undefined) return 0;
    const buffer = Buffer.alloc(CLI_LIMITS.serverLogReadBytes);
    const bytes = fs.readSync(this.#fd, buffer, 0, buffer.length, null);
    this.#rest += this.#decoder.write(buffer.subarray(0, bytes));
    return bytes;
  }
}

/** Follows a server's log until the command is stopped. `first` returns the lines to begin with. */
export const followLines = async (
  dir: string,
  first: () => readonly ServerLine[],
  print: (line: ServerLine) => void,
): Promise<void> => {
  const { signal, end } = untilStopped();
  // The end of the file is found before the first lines are read: a line that comes between is printed twice rather than not at all.
  const follower = new Follower(logFilePath(dir, SERVER_LOG, 0), true);
  const shown = first();
  try {
    for (const line of shown) print(line);
    const known = new Set(shown.map((line) => JSON.stringify(line)));
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const fresh = follower.next();
      for (const line of fresh) if (!isFirst || !known.has(JSON.stringify(line))) print(line);
      if (fresh.length === 0) await pause(CLI_LIMITS.followMs, signal);
    }
  } finally {
    follower.close();
    end();
  }
};
