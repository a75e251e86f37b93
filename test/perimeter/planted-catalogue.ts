// What names.test.ts and names.deep.test.ts share: rows of a catalogue that nobody recorded.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { freshPlace, serve, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { namesOf } from '../switchboard/wire.shared.js';

const plant = (file: string, sql: string): void => {
  const db = new Database(file);
  db.exec(sql);
  db.close();
};

const TOOLS = '[{"inputSchema":{"type":"object"},"name":"planted"}]';
const DIGEST = createHash('sha256').update(TOOLS).digest('hex');

/** What can be done to a row and its record without the ledger's key. */
export const PLANTED: Readonly<Record<string, string>> = {
  'other tools': `UPDATE catalogue SET tools = '${TOOLS}'`,
  'other tools and their digest': `UPDATE catalogue SET tools = '${TOOLS}', digest = '${DIGEST}'`,
  'no record': 'UPDATE catalogue SET seq = 999999',
  'another record': 'UPDATE catalogue SET seq = 0',
  'another log': `UPDATE catalogue SET log_id = '00000000000000000000000000000000'`,
  'another revision': 'UPDATE catalogue SET rev = rev + 1',
  'another salt': `UPDATE catalogue SET salt = '00000000000000000000000000000000'`,
};

/** Each of these in turn, before a start whose lists come from memory. */
export const plantAndList = async (plantings: readonly string[]): Promise<void> => {
  const place = freshPlace();
  const script = join(place.dir, 'server.mjs');
  const plain = fakeServer('plain').args as string[];
  fs.writeFileSync(script, `await import(${JSON.stringify(plain[0])});`);
  writeBoard(place, { once: { command: 'node', args: [script] } });
  await session(place, (peer) => untilHealthy(peer, 'once'));
  // Reached as before, and mute from now on: what is listed comes from memory.
  fs.writeFileSync(script, 'process.stdin.resume();');
  const good = fs.readFileSync(place.db);
  const listed = async (): Promise<string[]> => {
    const peer = serve(place);
    await peer.initialize();
    await peer.phase2();
    const names = namesOf(await peer.request('tools/list')).filter((name) => name.startsWith('once__'));
    await peer.kill('SIGKILL');
    return names;
  };
  expect(await listed()).toContain('once__echo');
  for (const what of plantings) {
    for (const side of ['-wal', '-shm']) fs.rmSync(`${place.db}${side}`, { force: true });
    fs.writeFileSync(place.db, good);
    plant(place.db, PLANTED[what] ?? '');
    expect({ what, listed: await listed() }).toEqual({ what, listed: [] });
  }
};
