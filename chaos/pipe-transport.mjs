// The client's end of a child's pipes. The SDK's own transport kills what does not end within four seconds; a run must see
// how Colibri ends by itself, so here the process belongs to whoever started it.

/** @typedef {import('@modelcontextprotocol/client').Transport} Transport */

/** @implements {Transport} */
export class PipeTransport {
  /** @type {Transport['onmessage']} */
  onmessage;
  /** @type {Transport['onclose']} */
  onclose;
  /** @type {Transport['onerror']} */
  onerror;
  #child;
  #rest = '';

  /** @param {import('node:child_process').ChildProcessWithoutNullStreams} child */
  constructor(child) {
    this.#child = child;
  }

  async start() {
    this.#child.stdin.on('error', () => {}); // the end that caused it says more
    this.#child.stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
    this.#child.stdout.once('close', () => this.onclose?.());
  }

  /** @param {string} text */
  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  /** @param {string} line */
  #take(line) {
    try {
      this.onmessage?.(JSON.parse(line));
    } catch (thrown) {
      this.onerror?.(/** @type {Error} */ (thrown));
    }
  }

  /** @param {unknown} message */
  async send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close() {
    this.#child.stdin.end();
  }
}
