// Between Colibri and a server that is reached over HTTP: passes everything on until it is told to refuse, hang or cut.
// Loopback only; it forwards to exactly one URL, which stands nowhere but in memory.
import { createServer, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { KEY } from './colibri.mjs';

/** @typedef {'pass' | 'refuse' | 'hang' | 'cut'} Mode */

/** Headers of one hop. */
const HOP = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection', 'te']);

/** @param {import('node:http').IncomingHttpHeaders} headers */
const onwards = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));

export class Relay {
  #target;
  #server;
  #port = 0;
  /** @type {Mode} */
  #mode = 'pass';
  /** Calls that were passed on. @type {import('./judge.mjs').Arrival[]} */
  arrivals = [];

  /** @param {string} url */
  constructor(url) {
    this.#target = new URL(url);
    this.#server = createServer((incoming, outgoing) => this.#take(incoming, outgoing));
  }

  get url() {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async listen() {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(this.#port, '127.0.0.1', () => resolve(undefined));
    });
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** @param {Mode} mode */
  async set(mode) {
    const was = this.#mode;
    this.#mode = mode;
    if (mode === 'refuse' || mode === 'cut') this.#server.closeAllConnections();
    if (mode === 'refuse') await new Promise((resolve) => this.#server.close(resolve));
    if (was === 'refuse') await this.listen();
  }

  /** @param {import('node:http').IncomingMessage} incoming @param {import('node:http').ServerResponse} outgoing */
  #take(incoming, outgoing) {
    if (this.#mode === 'hang') return void incoming.resume();
    /** @type {Buffer[]} */
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => this.#pass(incoming, outgoing, Buffer.concat(chunks)));
    incoming.on('error', () => outgoing.destroy());
  }

  /** @param {import('node:http').IncomingMessage} incoming @param {import('node:http').ServerResponse} outgoing @param {Buffer} body */
  #pass(incoming, outgoing, body) {
    this.#count(body);
    const ask = this.#target.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { ...onwards(incoming.headers), host: this.#target.host };
    const inner = ask(this.#target, { method: incoming.method ?? 'GET', headers }, (answer) => {
      // The server has done its work by now; that is what makes a cut hard.
      if (this.#mode === 'cut') return void outgoing.destroy();
      outgoing.writeHead(answer.statusCode ?? 502, onwards(answer.headers));
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    inner.on('error', () => outgoing.destroy());
    outgoing.on('close', () => inner.destroy());
    inner.end(body);
  }

  /** @param {Buffer} body */
  #count(body) {
    try {
      const { method, params } = JSON.parse(body.toString('utf8'));
      const key = params?._meta?.[KEY];
      if (method === 'tools/call' && typeof key === 'string') this.arrivals.push({ key, at: Date.now() });
    } catch {
      // Not for us to judge.
    }
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
