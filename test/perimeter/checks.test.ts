// A check that calls a tool is a call: recorded before it runs, and not run where it cannot be recorded.
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, serve } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { capability, checksNotedIn, recorded } from './checks.shared.js';
import { countingServer } from './counting-server.js';

test('a capability check is durable before the server is asked, and its outcome is recorded after', async () => {
  const place = freshPlace();
  const server = await countingServer();
  const seen: { readonly records: Message[]; readonly noted: Set<string> }[] = [];
  // Read from outside at the moment the call arrives: what is there was durable before.
  server.onCall = () => void seen.push({ records: recorded(place), noted: checksNotedIn(place, 'far__look') });
  writeBoard(place, { far: { url: server.url, ...capability() } });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await eventually('two checks', () => server.count('look') >= 2);
  await peer.end();

  seen.forEach(({ records, noted }, at) => {
    const begun = records.filter(({ kind, check }) => kind === 'call.enter' && check === true);
    const ended = records.filter(({ kind }) => kind === 'call.exit');
    expect([new Set([...begun.map(({ call }) => call), ...noted]).size, ended.length]).toEqual([at + 1, at]);
  });
  const records = recorded(place);
  const enter = records.find(({ kind }) => kind === 'call.enter');
  expect(enter).toMatchObject({ tool: 'far__look', effect: 'proxy', check: true, client: { name: 'colibri' } });
  expect(records.find(({ kind }) => kind === 'call.exit')).toMatchObject({
    sequence_no: enter?.sequence_no,
    outcome: 'ok',
    route: { name: null, attempts: [{ server: 'far', tool: 'look', how: 'result', sent: true }] },
  });
  const calls = records.filter(({ kind }) => kind === 'call.enter').length;
  expect(records.filter(({ kind }) => kind === 'call.exit')).toHaveLength(calls);
  expect(calls).toBe(server.calls.length);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

deepTest('with a store that cannot be opened no check runs, and the server serves on', async () => {
  const place = freshPlace();
  const server = await countingServer();
  fs.mkdirSync(place.db, { recursive: true }); // a folder where the database should be
  writeBoard(place, { far: { url: server.url, ...capability() } });
  const peer = serve(place);
  await peer.initialize();
  await peer.until(() => peer.stderr.includes('far: STARTING → HEALTHY'));
  await sleep(2_500);
  expect(server.calls).toEqual([]);
  expect(peer.stderr).not.toMatch(/far: HEALTHY →/);
  await peer.end();
});
