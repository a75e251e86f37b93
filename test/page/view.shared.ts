// What the tests of `colibri view` share: the command as a process, and requests as any program on the machine may send them.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { MAIN, type Place } from '../support/serve.js';

export interface Viewed {
  readonly pid: number;
  readonly address: string;
  /** The file that opens the page, and the address in it. */
  readonly file: string;
  readonly opening: string;
  readonly ended: Promise<number | null>;
  stop(): void;
}

export const startView = (place: Place, ...args: string[]): Promise<Viewed> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, 'view', '--no-open', '--json', ...args], {
      cwd: place.dir,
      env: place.env,
    });
    const ended = new Promise<number | null>((done) => child.once('close', done));
    place.onEnd(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    let [out, err] = ['', ''];
    child.stderr.on('data', (text: Buffer) => (err += String(text)));
    child.stdout.on('data', (text: Buffer) => {
      out += String(text);
      if (!out.includes('\n')) return;
      const { address, open: file } = JSON.parse(out.slice(0, out.indexOf('\n')));
      const [, opening = ''] = /url=([^"]+)"/.exec(fs.readFileSync(file, 'utf8')) ?? [];
      resolve({ pid: child.pid ?? 0, address, file, opening, ended, stop: () => void child.kill('SIGINT') });
    });
    void ended.then((code) => reject(new Error(`view ended with ${code}: ${err}`)));
  });

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request, with exactly these headers. */
export const ask = (address: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const asked = request(address, { method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      response.on('error', reject);
    });
    asked.on('error', reject).end();
  });

/** The cookie for which the token is exchanged. */
export const admitted = async ({ opening }: Viewed): Promise<string> => {
  const { status, headers } = await ask(opening);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  if (status !== 200) throw new Error(`the token was refused with ${status}`);
  return cookie.split(';')[0] ?? '';
};
