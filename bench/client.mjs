// The smallest client that can measure a server: a child process, JSON-RPC lines, the legacy handshake. Both sides
// are measured through this one file, so what it costs is in both numbers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownChild } from './belongings.mjs';

const PROTOCOL = '2025-11-25';
/** What a server gets to answer a call, or to end by itself after its stdin was closed. */
const PATIENCE_MS = 20_000;
const STDERR_CHARS = 2_000;

/**
 * @typedef {object} Command
 * @property {string[]} args Arguments of node.
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 */

export class Client {
  #child;
  /** @type {Map<number, { resolve: (reply: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #lastId = 0;
  #rest = '';
  #stderr = '';
  #exited;

  /** @param {Command} command */
  constructor({ args, cwd, env }) {
    this.#child = ownChild(spawn(process.execPath, args, { cwd, env, stdio: 'pipe' }));
    this.#exited = once(this.#child, 'close');
    this.#child.stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    this.#child.stdin.on('error', () => {}); // the exit that caused it tells more
    this.#exited.then(
      ([code, signal]) => this.#fail(`ended with ${signal ?? code}`),
      (error) => this.#fail(error.message),
    );
  }

  get pid() {
    return this.#child.pid;
  }

  /** @param {string} text */
  #read(text) {
    if (!text.includes('\n')) {
      this.#rest += text; // searched once, when its end is there: a long line comes in many pieces
      return;
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line);
      const waiter = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error === undefined) waiter?.resolve(message.result);
      else waiter?.reject(new Error(line.slice(0, 300)));
    }
  }

  /** @param {string} what */
  #fail(what) {
    const error = new Error(`the server ${what}\n${this.#stderr}`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** @param {string} method @param {object} [params] @returns {Promise<any>} the result */
  request(method, params) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  /** Resolves when `initialize` was answered. */
  async initialize() {
    await this.request('initialize', {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    this.#child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  /** One `server_ping`. */
  ping() {
    return this.request('tools/call', { name: 'server_ping', arguments: {} });
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    this.#child.kill(signal);
  }

  /** Ends it as a client does, by closing its stdin, and waits until it is gone. */
  async close() {
    this.#child.stdin.end();
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS);
    await this.#exited.catch(() => {});
    clearTimeout(killer);
  }
}
