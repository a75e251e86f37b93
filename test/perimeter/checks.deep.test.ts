// A check that calls a tool is a call: recorded before it runs, and not run where it cannot be recorded.
import '../support/deep-part.js';
import './checks.test.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { json } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, serve } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { capability, checksNotedIn, recorded } from './checks.shared.js';
import { project } from './consent.shared.js';
import { countingServer } from './counting-server.js';

test('a ledger that takes no more records stops the checks, not the server', async () => {
  const place = freshPlace();
  const server = await countingServer();
  writeBoard(place, { far: { url: server.url, ...capability() } });
  // A disk that is full from the first checks on.
  const peer = serve(place, { fileKiB: 1_100 });
  await peer.initialize();
  await peer.phase2();
  await eventually('a check', () => server.count('look') >= 1);
  // Nobody waits for these: the process is killed before all of them are answered.
  for (let n = 0; n < 400; n++) peer.call('far__list_repos', { filler: 'x'.repeat(3_000), n }).catch(() => {});
  await peer.until(() => peer.lines.some((line) => /STORE_|AUDIT_/.test(line)), 20_000);
  await sleep(300);
  const before = server.count('look');
  await sleep(1_800);
  // What ran was recorded, at least in the journal; the rest did not run.
  const inLedger = recorded(place).flatMap(({ check, call }) => (check === true ? [call] : []));
  expect(server.count('look')).toBe(new Set([...inLedger, ...checksNotedIn(place, 'far__look')]).size);
  expect(server.count('look')).toBeLessThanOrEqual(before + 2);
  expect(peer.stderr).not.toMatch(/far: HEALTHY →/);
  await peer.kill('SIGKILL');
});

test('a check takes no concurrency permit from calls, and calls take none from it', async () => {
  const place = freshPlace();
  const server = await countingServer();
  let release = (): void => {};
  server.onCall = ({ tool }) =>
    tool === 'list_repos'
      ? new Promise((resolve) => {
          release = resolve;
        })
      : undefined;
  writeBoard(place, { far: { url: server.url, concurrency: 1, ...capability() } });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await eventually('a check', () => server.count('look') >= 1);
  const slow = peer.call('far__list_repos', {});
  await eventually('the call', () => server.count('list_repos') === 1);
  const before = server.count('look');
  await eventually('a check beside the call', () => server.count('look') > before);
  release();
  expect((await slow).result.isError).not.toBe(true);
  await peer.end();
});

test('a failing check has its outcome in the ledger and takes its server out of use', async () => {
  const place = freshPlace();
  const server = await countingServer();
  const health = { ...capability({ expect: { contains: 'never said' } }).health, failuresToQuarantine: 1 };
  writeBoard(place, { far: { url: server.url, ...capability(), health } });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.until(() => peer.stderr.includes('far: HEALTHY → QUARANTINE'));
  await peer.end();
  const records = recorded(place).filter(({ tool }) => tool === 'far__look');
  expect(records.map(({ kind, outcome }) => outcome ?? kind)).toEqual(['call.enter', 'ok']);
});

test('a check that hangs when the process ends leaves a whole pair', async () => {
  const place = freshPlace();
  const server = await countingServer();
  server.onCall = () => new Promise(() => {});
  writeBoard(place, { far: { url: server.url, ...capability() } });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await eventually('the check', () => server.count('look') === 1);
  expect(await peer.end()).toMatchObject({ code: 0 });
  const records = recorded(place);
  expect(records.map(({ kind }) => kind)).toEqual(['call.enter', 'call.exit']);
  expect(records[1]).toMatchObject({ outcome: 'failed' });
});

test('a check of a project calls the tool that was approved, whatever the file says by now, and each time after its record', {
  timeout: 60_000,
}, async () => {
  const place = freshPlace();
  const server = await countingServer();
  const a = project(place);
  const unrecorded: string[] = [];
  server.onCall = ({ tool }) => {
    const inStore = recorded(place).filter((one) => one.check === true && one.tool === `git__${tool}`);
    const begun = new Set([...inStore.map(({ call }) => call), ...checksNotedIn(place, `git__${tool}`)]);
    if (begun.size !== server.count(tool)) unrecorded.push(tool);
  };
  const entry = (tool: string) => ({
    url: server.url,
    tools: { readOnly: [tool] },
    health: { capability: { tool, afterFailures: 1, intervalMs: 1_000 }, readiness: { intervalMs: 1_000 } },
  });
  a.write({ mcpServers: { git: entry('look') } });
  await a.run('switchboard', 'approve', '--yes');
  const peer = serve(place, { env: a.env });
  await peer.initialize();
  await peer.phase2();
  await peer.until(() => peer.stderr.includes('git: STARTING → HEALTHY'));
  await sleep(2_500);
  expect(server.calls).toEqual([]); // not before its minute is over, though the file asks for a second

  a.write({ mcpServers: { git: entry('delete_repo') } });
  await peer.until(() => peer.stderr.includes('has changed since it was approved'));
  server.badPings = 1; // a failure of another signal has the check run at once
  await eventually('the approved check', () => server.count('look') === 1);
  await sleep(500);
  expect(server.count('delete_repo')).toBe(0);

  await a.run('switchboard', 'approve', '--yes');
  await eventually('the running process has it', async () => {
    const [row] = json(await a.run('switchboard', '--json')).processes[0].servers;
    return row.notes?.includes('keeps running as approved') !== true;
  });
  server.badPings = 1;
  await eventually('the check that was agreed to', () => server.count('delete_repo') === 1);
  await peer.end();
  expect(unrecorded).toEqual([]);
});
