// The events of `colibri view` as a program reads them: batches, resuming, `resync`, and slow or greedy connections; and what becomes of a page
// whose store is deleted, begun anew or restored while it is open.
import * as fs from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { colibri, rows, usedStore } from '../support/command-line.js';
import { placeForAll } from '../support/ends.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, type Place, serve, session } from '../support/serve.js';
import { admitted, ask, startView, type Viewed } from './view.shared.js';

const changeStore = (place: Place, sql: string): void => {
  const db = new Database(place.db, { fileMustExist: true });
  db.exec(sql);
  db.close();
};

interface Told {
  readonly name: string;
  readonly id: string;
  readonly data: Message;
  readonly atMs: number;
}

const FIELD = /^(id|event|data): (.*)$/gm;

const toldIn = (block: string, atMs: number): Told[] => {
  const found = Object.fromEntries([...block.matchAll(FIELD)].map(([, name, value]) => [name, value]));
  return found.event === undefined
    ? []
    : [{ name: found.event, id: found.id ?? '', data: JSON.parse(found.data ?? 'null'), atMs }];
};

/** Reads events for a while, or until the server ends them. */
const eventsFrom = async (url: string, headers: Record<string, string>, ms: number): Promise<readonly Told[]> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { headers, agent: false }, resolve).on('error', reject),
  );
  expect(response.statusCode).toBe(200);
  const told: Told[] = [];
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) told.push(...toldIn(block, performance.now()));
  });
  await Promise.race([sleep(ms), new Promise((resolve) => response.once('close', resolve))]);
  response.destroy();
  return told;
};

const seqsIn = (told: readonly Told[]): number[] =>
  told
    .filter(({ name }) => name === 'records')
    .flatMap(({ data }) => data.logs[0].records.map(({ seq }: Message) => seq));

describe('the events of a store with 2,000 records', () => {
  const ends = placeForAll();
  let [place, viewed, cookie, log, size]: [Place, Viewed, string, string, number] = [] as never;

  beforeAll(async () => {
    place = ends.place();
    await session(place, async (peer) => {
      for (let n = 0; n < 1_000; n += 50)
        await Promise.all(Array.from({ length: 50 }, () => peer.call('server_ping', {})));
    });
    [{ log = '', size = 0 } = {}] = rows<{ log: string; size: number }>(place, 'SELECT log_id AS log, size FROM logs');
    viewed = await startView(place);
    cookie = await admitted(viewed);
  }, 120_000);

  it('come in batches of at most 500, at most four a second, without a gap', async () => {
    const told = await eventsFrom(`${viewed.address}events?from=`, { cookie }, 3_000);
    const batches = told.filter(({ name }) => name === 'records');
    expect(batches.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...batches.map((one) => seqsIn([one]).length))).toBe(500);
    for (const [i, { atMs }] of batches.entries()) {
      if (i > 3) expect(atMs - (batches[i - 4]?.atMs ?? 0)).toBeGreaterThan(900);
    }
    expect(seqsIn(told)).toEqual(Array.from({ length: size }, (_, seq) => seq));
    expect(told.at(-1)).toMatchObject({ name: 'signed', id: `${log}:${size}` });
  });

  it('go on where the last one ended', async () => {
    const told = await eventsFrom(`${viewed.address}events`, { cookie, 'last-event-id': `${log}:${size - 7}` }, 1_000);
    expect(seqsIn(told)).toEqual(Array.from({ length: 7 }, (_, i) => size - 7 + i));
    expect(told[0]?.id).toBe(`${log}:${size}`);
    for (const id of ['x', `${log}:-1`, `${log}:1e3`, `${log}:1,`, '__proto__:1', 'a'.repeat(9_000)]) {
      const { status, body } = await ask(`${viewed.address}events`, { cookie, 'last-event-id': id });
      expect([id.slice(0, 50), status, body.includes('seq')]).toEqual([id.slice(0, 50), 400, false]);
    }
  });

  it('are `resync` for a reader that has what the store does not have', async () => {
    for (const from of [`${log}:${size + 1}`, `${log}:${size},${'0'.repeat(32)}:4`]) {
      const told = await eventsFrom(`${viewed.address}events?from=${from}`, { cookie }, 5_000);
      expect(told.map(({ name }) => name)).toEqual(['resync']);
    }
  });

  it('are `resync` for a reader that is more than 20,000 records behind', async () => {
    changeStore(place, 'UPDATE logs SET size = size + 20000');
    const told = await eventsFrom(`${viewed.address}events?from=`, { cookie }, 5_000);
    changeStore(place, 'UPDATE logs SET size = size - 20000');
    expect(told).toMatchObject([{ name: 'resync', data: { behind: size + 20_000 } }]);
  });

  it('answers again after connections that send nothing, or a byte now and then', { timeout: 60_000 }, async () => {
    const port = Number(new URL(viewed.address).port);
    const sockets = Array.from({ length: 8 }, () => createConnection(port, '127.0.0.1').on('error', () => {}));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    const slow = sockets.slice(4);
    for (const socket of slow) socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('X-More: 1\r\n');
    }, 500);
    await expect(ask(`${viewed.address}data`, { cookie })).rejects.toThrow();
    const began = performance.now();
    await eventually(
      'it answers',
      async () => {
        const answer = await ask(`${viewed.address}data`, { cookie }).catch(() => undefined);
        return answer?.status === 200;
      },
      40_000,
    );
    clearInterval(drip);
    expect(performance.now() - began).toBeLessThan(25_000);
    for (const socket of sockets) socket.destroy();
  });
});

describe('a store that goes while it is shown', () => {
  const dataOf = async (viewed: Viewed, cookie: string): Promise<Message | number> => {
    const { status, body } = await ask(`${viewed.address}data`, { cookie });
    return status === 200 ? JSON.parse(body) : status;
  };

  it('is missed, and the one that comes in its place is shown', { timeout: 60_000 }, async () => {
    const { place, log } = await usedStore(freshPlace());
    const viewed = await startView(place);
    const cookie = await admitted(viewed);
    const first = (await dataOf(viewed, cookie)) as Message;
    const position = `${log}:${first.logs[0].size}`;
    fs.renameSync(join(place.dir, 'store'), join(place.dir, 'away'));
    expect(await dataOf(viewed, cookie)).toBe(500);
    expect(await dataOf(viewed, cookie)).toBe(500);
    // The connection of the events ends at once, and the page tries again.
    expect(await eventsFrom(`${viewed.address}events?from=${position}`, { cookie }, 5_000)).toEqual([]);
    fs.renameSync(join(place.dir, 'away'), join(place.dir, 'store'));
    expect(await dataOf(viewed, cookie)).toMatchObject({ logs: first.logs });
    viewed.stop();
    expect(await viewed.ended).toBe(0);
  });

  it('may be restored: the page is told to begin anew', { timeout: 90_000 }, async () => {
    const { place, log } = await usedStore(freshPlace());
    const backup = join(place.dir, 'copy.db');
    expect((await colibri(place, ['backup', backup])).code).toBe(0);
    await session(place, async (peer) => void (await peer.call('task_create', { title: 'Lost by the restore' })));
    const viewed = await startView(place);
    const cookie = await admitted(viewed);
    const before = (await dataOf(viewed, cookie)) as Message;
    expect(JSON.stringify(before)).toContain('Lost by the restore');
    const ran = await colibri(place, ['restore', backup, '--reason', 'a test', '--yes']);
    expect(ran).toMatchObject({ code: 0 });
    const told = await eventsFrom(
      `${viewed.address}events?from=${log}:${before.logs[0].size}`,
      { cookie },
      5_000,
    ).catch(() => []);
    const again =
      told.length > 0
        ? told
        : await eventsFrom(`${viewed.address}events?from=${log}:${before.logs[0].size}`, { cookie }, 5_000);
    expect(again.map(({ name }) => name)).toEqual(['resync']);
    const after = (await dataOf(viewed, cookie)) as Message;
    expect(JSON.stringify(after)).not.toContain('Lost by the restore');
  });

  it('may go on with another key', { timeout: 60_000 }, async () => {
    const { place } = await usedStore(freshPlace());
    const viewed = await startView(place);
    const cookie = await admitted(viewed);
    const before = (await dataOf(viewed, cookie)) as Message;
    const from = before.logs
      .map(({ vkey, size }: Message) => `${/log\/([0-9a-f]+)/.exec(vkey)?.[1]}:${size}`)
      .join(',');
    expect((await colibri(place, ['checkpoint', '--rotate', '--yes'])).code).toBe(0);
    const peer = serve(place);
    await peer.initialize();
    await peer.phase2();
    await peer.call('server_ping', {});
    await peer.end();
    const told = await eventsFrom(`${viewed.address}events?from=${from}`, { cookie }, 2_000);
    const logs = new Set(
      told.filter(({ name }) => name === 'records').flatMap(({ data }) => data.logs.map(({ vkey }: Message) => vkey)),
    );
    expect(logs.size).toBe(2);
  });
});
