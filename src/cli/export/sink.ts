// Where an export goes: a file that gets its name at the end, or stdout as fast as the other side reads.
import { closeSync, openSync, writeSync } from 'node:fs';
import { forTerminal } from '../screen/print.js';

export interface Sink {
  /** False: nobody reads any more. */
  write(text: string): Promise<boolean>;
  readonly bytes: number;
  close(): void;
}

/** A write may be cut short without an error. */
const writeAll = (fd: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
};

/** Readable by its owner alone: it holds what agents sent. */
export const fileSink = (path: string): Sink => {
  const fd = openSync(path, 'wx', 0o600);
  let bytes = 0;
  return {
    write: async (text) => {
      const chunk = Buffer.from(text);
      writeAll(fd, chunk);
      bytes += chunk.length;
      return true;
    },
    get bytes() {
      return bytes;
    },
    close: () => closeSync(fd),
  };
};

/** Exact into a pipe; a terminal gets marks for what it would obey. */
export const streamSink = (stream: NodeJS.WriteStream): Sink => {
  let bytes = 0;
  const shown =
    stream.isTTY === true
      ? (text: string): string => forTerminal(text.replaceAll('\r\n', '\n'))
      : (text: string): string => text;
  return {
    // Called back when it was taken, and with an error when the other side has gone.
    write: (text) =>
      new Promise((resolve) => {
        bytes += Buffer.byteLength(text);
        stream.write(shown(text), (error) => resolve(!error));
      }),
    get bytes() {
      return bytes;
    },
    close: () => {},
  };
};
