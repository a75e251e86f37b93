// What tests of commands that show something share: the layout on a screen, records to show, files that must stay as they were,
// stores that cannot be read, commands that run until they are stopped.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { keyRing } from '../../src/ledger/keys.js';
import { append, type Dated } from '../../src/ledger/ledger.js';
import { ownLogOf } from '../../src/ledger/own-log.js';
import type { LedgerRecord } from '../../src/proof/records.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import { colibri, type Ran, rows, stateDir } from './command-line.js';
import { filesBelow, MAIN, type Message, type Peer, type Place, serve } from './serve.js';

/** A serving process that a client of this name talks to. */
export const peerOf = async (place: Place, client: string): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize(client);
  await peer.phase2();
  return peer;
};

/** Columns by the plain rule: East Asian wide characters and pictures take two, marks none. */
const columnsOf = (line: string): number =>
  [...line].reduce((sum, char) => {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(char)) return sum;
    return (
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]|\p{Emoji_Presentation}/u.test(char) ? 2 : 1)
    );
  }, 0);

/** No line is wider than the screen, and nothing in it steers a terminal. */
export const expectFits = ({ stdout }: Pick<Ran, 'stdout'>, width = 80): void => {
  for (const line of stdout.split('\n')) {
    // A path on a line of its own stays whole, so that it can be copied.
    if (!/^ *['(]?\/\S+$/.test(line)) expect(columnsOf(line), line).toBeLessThanOrEqual(width);
    expect(line).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
  }
};

/** Laid out for a screen of 80 columns, without a terminal. */
export const onScreen = (place: Place, args: readonly string[]): Promise<Ran> =>
  colibri(place, args, { env: { COLUMNS: '80' } });

/** A record as the writer takes it: the number of a call comes beside its outcome. */
const dated = ({ at, record }: { at: string; record: object }): Dated => {
  const { sequence_no, ...said } = record as { sequence_no?: number };
  return { at, record: said as LedgerRecord, ...(sequence_no !== undefined && { sequenceNo: sequence_no }) };
};

/** Records as a writer of ours would append them, into a store that nobody serves. */
export const appendRecords = async (
  place: Place,
  records: readonly { at: string; record: object }[],
): Promise<number> => {
  const [log] = rows<{ log_id: string; size: number }>(place, 'SELECT log_id, size FROM logs');
  const store = await openSqliteStore({ path: place.db });
  try {
    for (let at = 0; at < records.length; at += 5_000) {
      const part = records.slice(at, at + 5_000).map(dated);
      await store.write((tx) =>
        append(tx, ownLogOf(keyRing({ dir: join(stateDir(place), 'keys') }), log?.log_id ?? ''), part),
      );
    }
  } finally {
    await store.close();
  }
  return log?.size ?? 0;
};

/** Everything that could have been written: the store, and keys and heads. */
export const traces = (place: Place): Record<string, string> =>
  Object.fromEntries(
    [dirname(place.db), stateDir(place)].flatMap((dir) =>
      filesBelow(dir).map((file) => {
        const path = join(dir, file);
        return [path, createHash('sha256').update(fs.readFileSync(path)).digest('hex')];
      }),
    ),
  );

/** Every store that cannot be looked at answers in one line with a remedy. */
export const expectClearRefusals = async (place: Place, args: readonly string[]): Promise<void> => {
  const file = (name: string, text: string | Buffer): string => {
    const path = join(place.dir, name);
    fs.writeFileSync(path, text);
    return path;
  };
  const newer = Buffer.from(fs.readFileSync(place.db));
  newer.writeUInt32BE(99, 60); // user_version, sqlite.org/fileformat2
  const damaged = Buffer.from(fs.readFileSync(place.db)).fill(0x5a, 100, 4_096);
  const bad: readonly (readonly [string, RegExp])[] = [
    [join(place.dir, 'none.db'), /There is no store at .*A client that starts Colibri makes it/],
    [file('empty.db', ''), /schema 0, \d+ is needed.*Start Colibri once in FULL mode/],
    [file('newer.db', newer), /schema 99.*newer Colibri/],
    [file('damaged.db', damaged), /malformed|damaged|corrupt|not a database/i],
    [file('text.db', 'hello, '.repeat(2_000)), /not a SQLite database.*Point --db at another file/],
  ];
  for (const [db, told] of bad) {
    const ran = await colibri(place, [...args, '--db', db]);
    expect(ran, `${args.join(' ')} ${db}`).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
    expect(ran.stderr.trim().split('\n'), db).toHaveLength(1);
  }
};

/** A command that goes on until it is told to stop. */
export class Running {
  readonly #child;
  stdout = '';
  stderr = '';
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(place: Place, args: readonly string[]) {
    this.#child = spawn(process.execPath, [MAIN, ...args], { cwd: place.dir, env: place.env });
    this.#child.stdin.end();
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve({ code, signal }));
    });
    place.onEnd(async () => {
      this.#child.kill('SIGKILL');
      await this.ended;
    });
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  get messages(): Message[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** As `| head` does when it has seen enough. */
  closePipe(): void {
    this.#child.stdout.destroy();
  }
}

/** The commands that a help text lists: two columns in, one word. */
export const listedIn = (help: string): string[] =>
  [...help.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map((found) => found[1] ?? '').filter((name) => name !== 'help');
