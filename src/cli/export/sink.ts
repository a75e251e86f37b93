// Where an export is written: to a file, or to stdout as fast as the reader takes it.
import { closeSync, openSync, writeSync } from 'node:fs';
import { forTerminal } from '../screen/print.js';

export interface Sink {
  /** Returns false if the program that reads the output has gone. */
  write(text: string): Promise<boolean>;
  readonly bytes: number;
  close(): void;
}

/** Writes all bytes; one call of `write` may write fewer bytes without an error. */
const writeAll = (fd: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
};

/** Writes an export to a new file that only its owner can read, because the export holds what agents sent. */
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

/** Writes an export to stdout: unchanged to a pipe; for a terminal, control characters become visible marks. */
export const streamSink = (stream: NodeJS.WriteStream): Sink => {
  let bytes = 0;
  const shown =
    stream.isTTY === true
      ? (text: string): string => forTerminal(text.replaceAll('\r\n', '\n'))
      : (text: string): string => text;
  return {
    // The callback runs when the reader has taken the text, or with an error if the reader has gone.
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
