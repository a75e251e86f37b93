// What the tests of secrets share: servers that say something and die, and all that was written about it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { rows, stateDir } from '../support/command-line.js';
import { filesBelow, type Peer, type Place } from '../support/serve.js';

/** A server that says something on stderr and ends. */
export const dies = (words: string) => ({
  command: 'sh',
  args: ['-c', 'printf "%s\\n" "$WORDS" >&2; exit 3'],
  env: { WORDS: words },
});

/** Every byte below the folders of the store and the state: database, write-ahead log, log file, notes. */
export const written = (place: Place): string =>
  [join(place.db, '..'), stateDir(place)]
    .flatMap((dir) => filesBelow(dir).map((file) => join(dir, file)))
    .map((file) => fs.readFileSync(file, 'latin1'))
    .join('\n');

export const health = (place: Place) =>
  rows<{ seq: number; log_id: string; body: string }>(place, "SELECT * FROM actions WHERE kind = 'health'");

export const allOut = (peer: Peer, count: number): Promise<void> =>
  peer.until(
    () =>
      new Set([...peer.stderr.matchAll(/switchboard: (\w+): STARTING → UNHEALTHY/g)].map(([, n]) => n)).size >= count,
    30_000,
  );
