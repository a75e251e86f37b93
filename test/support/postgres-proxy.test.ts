// The proxy itself, before a server that answers by rote: what it counts, and what each side gets of an exchange that is cut.
import { once } from 'node:events';
import * as net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { StatementReader, WireReader } from './postgres-messages.js';
import { CUTS, type Cut, PostgresProxy } from './postgres-proxy.js';

const message = (type: string, body: Buffer | string): Buffer => {
  const bytes = Buffer.from(body);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(type), length, bytes]);
};
const START = message('', Buffer.from([0, 3, 0, 0, 0]));
const ENCRYPTION = message('', Buffer.from([0x04, 0xd2, 0x16, 0x2f]));
const query = (text: string): Buffer => message('Q', `${text}\0`);
const READY = message('Z', 'I');
const answerTo = (text: string): Buffer => Buffer.concat([message('C', `${text} done\0`), READY]);
const prepared = (name: string, text: string): Buffer =>
  Buffer.concat([
    message('P', `${name}\0${text}\0\0\0`),
    message('B', `\0${name}\0\0\0\0\0\0\0`),
    message('E', '\0\0\0\0\0'),
    message('S', ''),
  ]);

/** Answers the start and every exchange; keeps what it has understood, and all bytes. */
const roteServer = async () => {
  const seen: string[] = [];
  const got: Buffer[] = [];
  const sockets = new Set<net.Socket>();
  const listener = net.createServer((socket) => {
    sockets.add(socket);
    const [reader, statements] = [new WireReader('client'), new StatementReader()];
    let last = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      got.push(bytes);
      for (const one of reader.take(bytes)) {
        last = statements.read(one) ?? last;
        if (one.type === '') socket.write(READY);
        if (one.type !== 'Q' && one.type !== 'S') continue;
        seen.push(last);
        socket.write(answerTo(last));
      }
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const proxy = await PostgresProxy.before({ host: '127.0.0.1', port: (listener.address() as net.AddressInfo).port });
  onTestFinished(async () => {
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  return { seen, got, proxy, close: () => listener.close() };
};

const talk = async (proxy: PostgresProxy) => {
  const socket = net.connect(proxy.port, '127.0.0.1');
  let text = Buffer.alloc(0);
  let isClosed = false;
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    text = Buffer.concat([text, bytes]);
  });
  socket.on('close', () => {
    isClosed = true;
  });
  await once(socket, 'connect');
  const until = async (is: () => boolean) => {
    while (!is()) await sleep(1);
  };
  return {
    send: (bytes: Buffer) => void socket.write(bytes),
    got: (bytes: number) => until(() => text.length >= bytes).then(() => text),
    closed: () => until(() => isClosed).then(() => text),
  };
};

test('counts statements and round trips, prepared or not, however the bytes come in', async () => {
  const { proxy, seen } = await roteServer();
  const { send, got } = await talk(proxy);
  send(ENCRYPTION);
  expect((await got(1)).toString()).toBe('N');
  const all = Buffer.concat([START, query('BEGIN'), prepared('s1', 'SELECT 1'), query('COMMIT')]);
  for (const byte of all) {
    send(Buffer.from([byte]));
    await sleep(0);
  }
  const wanted = Buffer.concat([READY, answerTo('BEGIN'), answerTo('SELECT 1'), answerTo('COMMIT')]);
  expect((await got(1 + wanted.length)).subarray(1)).toEqual(wanted);
  expect(seen).toEqual(['BEGIN', 'SELECT 1', 'COMMIT']);
  expect([proxy.statements, proxy.roundTrips, proxy.connections]).toEqual([3, 3, 1]);
});

const TEXT = 'UPDATE logs';
/** What reaches each side of an exchange that is cut there: none of it, a part, all. */
const REACHES: Readonly<Record<Cut, readonly [server: string, client: string]>> = {
  before: ['none', 'none'],
  half: ['part', 'none'],
  sent: ['all', 'none'],
  late: ['all', 'none'],
  done: ['all', 'none'],
  'half answer': ['all', 'part'],
  answered: ['all', 'all'],
};
const shareOf = (got: number, whole: number): string => (got === 0 ? 'none' : got < whole ? 'part' : 'all');

test.each(CUTS)('cut "%s": only that statement, and each side gets what is said', async (cut) => {
  const { proxy, got, seen } = await roteServer();
  const asked: string[][] = [];
  proxy.rule = ({ index, texts }) => {
    asked.push([String(index), ...texts]);
    return index === 1 ? cut : 'pass';
  };
  const first = await talk(proxy);
  const opening = Buffer.concat([START, query('BEGIN')]);
  first.send(opening);
  const shown = READY.length + answerTo('BEGIN').length;
  await first.got(shown);
  first.send(prepared('', TEXT));
  const client = await first.closed();
  await sleep(cut === 'late' ? 400 : 20);
  const server = Buffer.concat(got).length;
  const whole = [prepared('', TEXT).length, answerTo(TEXT).length] as const;
  expect([shareOf(server - opening.length, whole[0]), shareOf(client.length - shown, whole[1])]).toEqual(REACHES[cut]);
  expect(seen).toEqual(REACHES[cut][0] === 'all' ? ['BEGIN', TEXT] : ['BEGIN']);
  expect(asked).toEqual([
    ['0', 'BEGIN'],
    ['1', TEXT],
  ]);
  expect(proxy.connections).toBe(0);

  const second = await talk(proxy);
  second.send(Buffer.concat([START, query('SELECT 2')]));
  await second.got(READY.length + answerTo('SELECT 2').length);
});

test('refuses, delays, freezes and cuts everything when it is told to', async () => {
  const { proxy } = await roteServer();
  proxy.refusing = true;
  expect((await (await talk(proxy)).closed()).length).toBe(0);
  proxy.refusing = false;

  proxy.delayMs = 30;
  const begun = performance.now();
  const slow = await talk(proxy);
  slow.send(START);
  await slow.got(READY.length);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(59);
  proxy.delayMs = 0;

  proxy.freeze();
  slow.send(query('SELECT 1'));
  await sleep(50);
  expect((await slow.got(READY.length)).length).toBe(READY.length);
  proxy.thaw();
  await slow.got(READY.length + answerTo('SELECT 1').length);

  expect(proxy.cutAll()).toBe(1);
  await slow.closed();
});

test('a server that is not there closes the connection of the client', async () => {
  const { proxy, close } = await roteServer();
  close();
  expect((await (await talk(proxy)).closed()).length).toBe(0);
});

test('an address leads through it and keeps the rest', async () => {
  const { proxy } = await roteServer();
  expect(proxy.urlFor('postgres://me:secret@db.example:5433/work?sslmode=disable')).toBe(
    `postgres://me:secret@127.0.0.1:${proxy.port}/work?sslmode=disable`,
  );
});
