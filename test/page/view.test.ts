// `colibri view` as programs and sites attack it: whoever does not come through the file that it wrote gets nothing, and nobody can change anything.
import * as fs from 'node:fs';
import { createConnection } from 'node:net';
import { expect, it } from 'vitest';
import { rows, SECRET, usedStore } from '../support/command-line.js';
import { freshPlace } from '../support/serve.js';
import { admitted, ask, startView } from './view.shared.js';

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
};

it('answers one browser that came with the token, and nobody else', { timeout: 60_000 }, async () => {
  const { place } = await usedStore(freshPlace());
  const viewed = await startView(place);
  const { address, opening, file } = viewed;
  const port = new URL(address).port;
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);

  const nothing = async (what: string, url: string, headers: object, method = 'GET', status = 401): Promise<void> => {
    const answer = await ask(url, { ...headers }, method);
    expect({ what, status: answer.status }).toEqual({ what, status });
    expect(answer.body, what).not.toContain(SECRET);
    expect(answer.headers['set-cookie'], what).toBeUndefined();
    expect(answer.headers, what).toMatchObject(HEADERS);
    expect(answer.headers['access-control-allow-origin'], what).toBeUndefined();
  };
  await nothing('no token', address, {});
  await nothing('a wrong token', `${address}open?token=${'A'.repeat(43)}`, {});
  await nothing('an empty token', `${address}open?token=`, {});
  await nothing('another host', opening, { host: `localhost:${port}` }, 'GET', 403);
  await nothing('a name that leads here', opening, { host: 'evil.example' }, 'GET', 403);
  await nothing('another origin', opening, { origin: 'https://evil.example' }, 'GET', 403);
  await nothing(
    'the token in a picture of another site',
    opening,
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    'GET',
    403,
  );
  await nothing('a POST of the token', opening, {}, 'POST', 405);

  const cookie = await admitted(viewed);
  const { headers: given } = await ask(opening);
  expect(given['set-cookie']).toBeUndefined();
  await nothing('the token again', opening, {});
  const fine = await ask(`${address}data`, { cookie });
  expect(fine).toMatchObject({ status: 200, headers: HEADERS });
  expect(fine.body).toContain(SECRET);
  const page = await ask(address, { cookie, 'sec-fetch-site': 'same-origin' });
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; connect-src 'self'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );

  const data = `${address}data`;
  await nothing('the cookie from another origin', data, { cookie, origin: 'https://evil.example' }, 'GET', 403);
  await nothing('the cookie from a file', data, { cookie, origin: 'null' }, 'GET', 403);
  for (const site of ['cross-site', 'same-site'])
    await nothing(`the cookie, ${site}`, data, { cookie, 'sec-fetch-site': site }, 'GET', 403);
  await nothing('the cookie under another host', data, { cookie, host: `localhost:${port}` }, 'GET', 403);
  await nothing('a wrong cookie', data, { cookie: `${cookie}x` });
  await nothing('two cookies', data, { cookie: `${cookie}; ${cookie}` });
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])
    await nothing(method, data, { cookie }, method, 405);
  for (const [path, status] of [
    ['etc/passwd', 404],
    ['../../etc/passwd', 404],
    ['data?before=x', 400],
    ['data?until=yesterday', 400],
    ['data?until=', 400],
    ['events?from=1', 400],
    ['proof?log=x&from=0&to=1', 400],
    [`proof?log=${'0'.repeat(32)}&from=-1&to=9e9`, 400],
    ['__proto__', 404],
    ['constructor', 404],
  ] as const)
    await nothing(path, `${address}${path}`, { cookie }, 'GET', status);

  const before = rows(place, 'SELECT COUNT(*) AS n FROM actions');
  viewed.stop();
  expect(await viewed.ended).toBe(0);
  expect(fs.existsSync(file)).toBe(false);
  expect(rows(place, 'SELECT COUNT(*) AS n FROM actions')).toEqual(before);
});

it('takes eight connections, survives garbage, and listens on 127.0.0.1 alone', { timeout: 60_000 }, async () => {
  const { place } = await usedStore(freshPlace());
  const viewed = await startView(place);
  const cookie = await admitted(viewed);
  const port = Number(new URL(viewed.address).port);
  const sockets = Array.from({ length: 8 }, () => createConnection(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  await expect(ask(viewed.address, { cookie })).rejects.toThrow();
  for (const socket of sockets) socket.end('\u0000\u0001garbage\r\n\r\n');
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve).resume())));
  expect((await ask(`${viewed.address}data`, { cookie })).status).toBe(200);
  await expect(ask(`http://[::1]:${port}/`)).rejects.toThrow();
  const long = await ask(viewed.address, { cookie, 'x-long': 'x'.repeat(64 * 1024) }).catch(() => ({ status: 431 }));
  expect(long.status).toBe(431);
  expect((await ask(`${viewed.address}data`, { cookie })).status).toBe(200);
});
