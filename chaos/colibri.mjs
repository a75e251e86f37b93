// The Colibri under test: the built `serve` over stdio, in a scratch place, spoken to by a real MCP client.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { PipeTransport } from './pipe-transport.mjs';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/** What it gets to end by itself: drain, every server's own end, the last records. */
const END_MS = 30_000;
const STDERR_CHARS = 4_000;
export const KEY = 'chaos.test/call';
const REFUSAL = 'dev.colibri/refusal';

/**
 * How a call ended, as its caller sees it. `refused`: by Colibri; `error`: a JSON-RPC error; `failed`: `isError` of the tool
 * itself; `hung`: no answer at all within the time that every call must have one.
 * @typedef {{ how: 'ok' | 'refused' | 'error' | 'failed' | 'hung' | 'gone', code?: string, state?: string, reason?: string }} End
 */

/** @param {any} result @returns {End} */
const endOfResult = (result) => {
  const error = result._meta?.[REFUSAL]?.error;
  if (error !== undefined) {
    const { state, reason } = error.details ?? {};
    return { how: 'refused', code: error.code, ...(state && { state }), ...(reason && { reason }) };
  }
  return { how: result.isError === true ? 'failed' : 'ok' };
};

/** @param {unknown} thrown @returns {End} */
const endOfError = (thrown) => {
  if (!(thrown instanceof SdkError))
    return { how: 'error', code: String(/** @type {any} */ (thrown)?.code ?? 'unknown') };
  return thrown.code === SdkErrorCode.RequestTimeout ? { how: 'hung' } : { how: 'gone', code: thrown.code };
};

export class Colibri {
  #child;
  #client = new Client({ name: 'colibri-chaos', version: '1.0' }, { versionNegotiation: { mode: 'legacy' } });
  /** The end of what it said on stderr. */
  stderr = '';
  /** @type {{ code: number | null, signal: string | null } | undefined} */
  exit;
  #exited;

  /** @param {{ folder: string, env: NodeJS.ProcessEnv }} place @param {() => void} onExit however it ended */
  constructor({ folder, env }, onExit) {
    // A group of its own: Ctrl-C in the terminal is for us, and we end it in order.
    this.#child = spawn(process.execPath, [MAIN, 'serve'], { cwd: folder, env, stdio: 'pipe', detached: true });
    this.#exited = once(this.#child, 'exit').then(([code, signal]) => {
      this.exit = { code, signal };
      onExit();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr = (this.stderr + text).slice(-STDERR_CHARS);
    });
  }

  get pid() {
    return this.#child.pid ?? 0;
  }

  connect() {
    return this.#client.connect(new PipeTransport(this.#child));
  }

  async toolNames() {
    const { tools } = await this.#client.listTools({}, { cacheMode: 'bypass' });
    return new Set(tools.map(({ name }) => name));
  }

  /**
   * @param {{ name: string, arguments: Record<string, unknown> }} tool
   * @param {string} key the caller's own name for this call; servers that count see it
   * @param {number} boundMs by when every call must have an answer
   * @returns {Promise<End>}
   */
  call(tool, key, boundMs) {
    return this.#client
      .callTool({ ...tool, _meta: { [KEY]: key } }, { timeout: boundMs })
      .then(endOfResult, endOfError);
  }

  /** Closes its stdin, as a client does, and waits. Killed, with what it started, if it does not end. */
  async close() {
    if (this.exit !== undefined) return;
    await this.#client.close().catch(() => {});
    this.#child.stdin.end();
    await Promise.race([this.#exited, sleep(END_MS, undefined, { ref: false })]);
    if (this.exit === undefined) this.kill();
    await this.#exited;
  }

  /** Its watchdog ends the servers. */
  kill() {
    this.#child.kill('SIGKILL');
  }
}

/**
 * One command on the scratch store.
 * @param {{ folder: string, env: NodeJS.ProcessEnv }} place @param {readonly string[]} args
 * @returns {Promise<{ code: number | null, text: string }>}
 */
export const runCommand = async ({ folder, env }, args) => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, text: text.trim() };
};
