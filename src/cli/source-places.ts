// Makes stack traces name the files of src/ that the bundle was made from. Node's own source maps would be read with every file that a start
// loads; these are read when a stack trace is first asked for.
import { readFileSync } from 'node:fs';
import type { SourceMap } from 'node:module';

const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;

/** Reads the map of a file once; undefined for a file without a readable map, for example in build/. */
const mapReader = (): ((file: string) => SourceMap | undefined) => {
  const maps = new Map<string, SourceMap | undefined>();
  const read = (file: string): SourceMap | undefined => {
    try {
      // Loaded here: a start without an error needs none of it.
      const { SourceMap } = process.getBuiltinModule('node:module');
      return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
    } catch {
      return undefined;
    }
  };
  return (file) => {
    if (!maps.has(file)) maps.set(file, read(file));
    return maps.get(file);
  };
};

/** Returns a function that replaces the place in one line of a stack trace: `dist/chunks/x.js:1:2345` becomes `src/wire/door.ts:12:3`. */
export const sourcePlaces = (mapOf = mapReader()) => {
  const inSource = (place: string, file: string, line: string, column: string): string => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    // Code that the bundler added has an entry without a source.
    if (entry === undefined || !('originalSource' in entry) || entry.originalSource === undefined) return place;
    return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  };
  return (line: string): string => line.replace(PLACE, inSource);
};

/** From now on `stack` of every error of this process names source files. V8 makes the text of a stack when it is first read. */
export const nameSourcesInStacks = (): void => {
  const toSource = sourcePlaces();
  Error.prepareStackTrace = (error, sites) =>
    [Error.prototype.toString.call(error), ...sites.map((site) => `    at ${toSource(String(site))}`)].join('\n');
};

/**
 * Prints an uncaught error as Node would, but without the line of code that threw: a line of the bundle is its whole file. It leaves the error
 * to other listeners if there are any; `serve` has one that writes to the log.
 */
export const reportUncaught = (): void => {
  process.on('uncaughtException', (thrown: unknown) => {
    if (process.listenerCount('uncaughtException') > 1) return;
    process.stderr.write(`${thrown instanceof Error ? thrown.stack : `Uncaught: ${String(thrown)}`}\n`);
    process.exit(1);
  });
};
