// Where an export is written: to a file, or to stdout as fast as the reader takes it.
import { closeSync, openSync, writeSync } from 'node:fs';
import { forTerminal } from '../screen/print.js';

export interface Sink {
  /** Returns false if the reader has gone. */
  write(text: string): Promise<boolean>;
  readonly bytes: number;
  close(): void;
}

/** Repeats the write until all bytes are written: `write` may write fewer without an error. */
const writeAll = (fd: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
};

/** Creates a file that only its owner can read, because it holds what agents sent. */
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

/** Writes to a pipe exactly; for a terminal, replaces control characters with visible marks. */
export const streamSink = (stream: NodeJS.WriteStream): Sink => {
  let bytes = 0;
  const shown =
    stream.isTTY === true
      ? (text: string): string => forTerminal(text.replaceAll('\r\n', '\n'))
      : (text: string): string => text;
  return {
    // The callback comes when the text was taken, with an error if the reader has gone.
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
