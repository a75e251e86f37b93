// Everything a run needs, put together and taken down again: scratch place, servers, Colibri, its health records, traffic.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problemText } from '../build/switchboard/config/problem.js';
import { copiedServer, readBoard, saveBoard } from './board.mjs';
import { Colibri } from './colibri.mjs';
import { announcement, askConsent } from './consent.mjs';
import { fakeCast } from './fakes.mjs';
import { HealthLog } from './health-log.mjs';
import { placedTool, Wrong } from './options.mjs';
import { harmlessTools, ownCast } from './own.mjs';
import { leaderOf, processesOf, signalGroup } from './processes.mjs';
import { makeScratch, removeScratch } from './scratch.mjs';
import { boundOf } from './traffic.mjs';

/** @typedef {ReturnType<import('./options.mjs').readOptions>} Options */
/** @typedef {import('./board.mjs').ServerConfig} ServerConfig */

const LOOK_MS = 50;
/** Until the store is there. */
const STORE_MS = 30_000;

/** @param {Options} options @param {import('./scratch.mjs').Scratch} scratch */
const readConfig = async ({ config, only }, { folder, board, env }) => {
  const fakes = config === undefined ? await fakeCast(folder, only) : undefined;
  const file = config === undefined ? board : resolve(config);
  if (fakes === undefined && !existsSync(file)) throw new Wrong(`there is no file ${file}`);
  const text = fakes === undefined ? readFileSync(file, 'utf8') : JSON.stringify(fakes.board);
  const { config: read, written } = readBoard(text, file, config === undefined ? env : process.env);
  if (read.errors.length > 0) throw new Wrong(read.errors.map(problemText).join('\n'));
  const servers = read.servers.filter(({ disabled }) => !disabled);
  if (servers.length === 0) throw new Wrong('there is no server in it');
  return { fakes, written, servers };
};

export class Stage {
  /** Marks the processes of this run. */
  #run = randomUUID();
  #gone = new AbortController();
  #isClosed = false;
  /** @type {Colibri | undefined} */
  #colibri;
  /** @type {HealthLog | undefined} */
  #health;
  #lastResort = () => this.#colibri?.kill();

  /**
   * @param {{ options: Options, scratch: import('./scratch.mjs').Scratch, cast: import('./disturb.mjs').Cast, servers: readonly ServerConfig[],
   *   relays: Map<string, string>, interrupted: AbortSignal }} parts
   */
  constructor(parts) {
    this.parts = parts;
    this.over = AbortSignal.any([parts.interrupted, this.#gone.signal]);
    process.once('exit', this.#lastResort);
  }

  /** Asks for consent where the servers are the user's. @param {Options} options @param {AbortSignal} interrupted */
  static async prepare(options, interrupted) {
    const scratch = makeScratch(options.config !== undefined);
    const remove = () => options.keep || removeScratch(scratch);
    process.once('exit', remove);
    const { fakes, written, servers } = await readConfig(options, scratch);
    if (fakes !== undefined)
      return new Stage({ options, scratch, cast: fakes, servers, relays: new Map(), interrupted });
    await askConsent(announcement(servers, options.isQuiet), options.yes, interrupted);
    const own = await ownCast(servers, written);
    return new Stage({ options, scratch, cast: own, servers, relays: own.relays, interrupted });
  }

  get hasStarted() {
    return this.#colibri !== undefined;
  }

  get colibri() {
    if (this.#colibri === undefined) throw new Error('it was not started');
    return this.#colibri;
  }

  get health() {
    if (this.#health === undefined) throw new Error('it was not started');
    return this.#health;
  }

  /** Writes the copy of the file, starts Colibri, waits for its store. */
  async start() {
    const { scratch, servers, cast, options, relays } = this.parts;
    const how = { scale: options.scale, run: this.#run, givenBack: scratch.givenBack, relays };
    for (const server of servers)
      cast.board.mcpServers[server.name] = copiedServer(server, cast.board.mcpServers[server.name], how);
    saveBoard(scratch.board, cast.board);
    this.#colibri = new Colibri(scratch, () => this.#gone.abort(new Error('Colibri ended in the middle of the run')));
    await this.#colibri.connect();
    this.#health = await this.#openHealth(scratch.database);
  }

  /** @param {string} file */
  async #openHealth(file) {
    const deadline = performance.now() + STORE_MS;
    for (;;) {
      try {
        return new HealthLog(file);
      } catch (thrown) {
        if (performance.now() > deadline) throw thrown;
        await sleep(LOOK_MS, undefined, { signal: this.over });
      }
    }
  }

  /** What each server is called with. @returns {Promise<import('./traffic.mjs').Target[]>} */
  async targets() {
    const { servers, cast, options } = this.parts;
    const names = servers.map(({ name }) => name);
    if ('use' in cast) {
      const extras = options.tools.map((tool) => placedTool(tool, names));
      const [listed, catalogues] = [await this.colibri.toolNames(), this.health.catalogues()];
      const found = harmlessTools(servers, { catalogues, listed, extras, isQuiet: options.isQuiet });
      /** @type {any} */ (cast).use(found);
    }
    const targets = names.map((server) => ({
      server,
      tools: cast.toolsOf(server),
      timeoutMs: cast.board.mcpServers[server].timeoutMs,
    }));
    return options.config === undefined ? targets : Promise.all(targets.map((target) => this.#tried(target)));
  }

  /** Without tools that answer with an error even when all is well. @param {import('./traffic.mjs').Target} target */
  async #tried({ server, tools, timeoutMs }) {
    const ends = await Promise.all(tools.map((tool) => this.colibri.call(tool, `${server}#0`, boundOf(timeoutMs))));
    return { server, timeoutMs, tools: tools.filter((_, i) => ends[i]?.how === 'ok') };
  }

  /** @returns {import('./disturb.mjs').World} */
  world() {
    const { scratch, cast } = this.parts;
    return {
      folder: scratch.folder,
      over: this.over,
      stateOf: (server) => {
        this.health.look();
        return this.health.stateOf(server);
      },
      signal: (server, signal, isLenient = false) => {
        const group = leaderOf({ run: this.#run, colibri: this.colibri.pid, server });
        if (group !== undefined) signalGroup(group, signal);
        else if (!isLenient) throw new Error(`${server} has no process`);
        return group;
      },
      signalGroup: (group, signal) => void (group !== undefined && signalGroup(group, signal)),
      change: (edit) => {
        edit(cast.board);
        saveBoard(scratch.board, cast.board);
      },
    };
  }

  /** Processes of servers that are still there. */
  left() {
    return processesOf(this.#run);
  }

  /** Ends everything; what is in flight is answered or cancelled by Colibri. */
  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#colibri?.close();
    this.#health?.look();
    this.#health?.close();
    await this.parts.cast.stop();
  }
}
