// What stands beside a record is as bound to it as the arguments of a call.
import '../support/deep-part.js';
import './erasable.test.js';
import * as fs from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { colibri } from '../support/command-line.js';
import { freshPlace, session } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { allOut, dies, health } from './secrets.shared.js';

vi.setConfig({ testTimeout: 60_000 });

test('texts that were changed, taken away or put beside a record are found by verify', async () => {
  const place = freshPlace();
  writeBoard(place, { one: dies('Error: bad') });
  await session(place, (peer) => allOut(peer, 1));
  const copy = fs.readFileSync(place.db);
  const [{ log_id: log, seq } = { log_id: '', seq: 0 }] = health(place);
  for (const sql of [
    `UPDATE payloads SET json = replace(json, 'bad', 'fine') WHERE seq = ${seq}`,
    `UPDATE payloads SET salt = '00000000000000000000000000000000' WHERE seq = ${seq}`,
    `DELETE FROM payloads WHERE seq = ${seq}`,
    `INSERT INTO payloads (log_id, seq, salt, json) VALUES ('${log}', 0, '00000000000000000000000000000000', '{}')`,
  ]) {
    fs.writeFileSync(place.db, copy);
    const db = new Database(place.db);
    db.exec(sql);
    db.close();
    const { code, stdout } = await colibri(place, ['verify']);
    expect(code, `${sql}\n${stdout}`).toBe(20);
  }
});
