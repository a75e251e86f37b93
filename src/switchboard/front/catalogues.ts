// The stored tool lists (catalogues) of the servers of one process: under which key a list is stored, and which stored list a server begins
// with.
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { redactShapes } from '../../redact/redact.js';
import type { ServerConfig } from '../config/config.js';
import { connectionDigest } from '../config/connection.js';
import { triedTools } from '../config/tried-tools.js';
import type { CatalogueKey } from '../records/catalogue-key.js';
import { rememberedForOthers, rememberedTools, rememberTools } from '../records/catalogue-repository.js';
import type { RecordsWriter } from '../records/writer.js';
import type { BackendDeps } from '../server/world.js';

interface CataloguesDeps {
  readonly records: RecordsWriter;
  readonly stateDir: string;
  /** The capabilities of the connected client. */
  readonly capabilities: () => ClientCapabilities;
}

export class Catalogues {
  readonly #deps: CataloguesDeps;
  readonly #guessed = new Set<string>();

  constructor(deps: CataloguesDeps) {
    this.#deps = deps;
  }

  /** The key of a server's stored tool list. It contains the client's capabilities, because older servers choose by them which tools to list. */
  keyOf(server: ServerConfig): CatalogueKey {
    const client = Object.keys(this.#deps.capabilities()).sort().join();
    return { server: server.name, connection: connectionDigest(server), client: redactShapes(client) };
  }

  /**
   * The tools that a server listed last for this client or, if that is not known, for another client. If the store does not know the server:
   * those that it listed when `init --import` tried it.
   */
  async remembered(server: ServerConfig): Promise<BackendDeps['remembered']> {
    const { records } = this.#deps;
    const key = this.keyOf(server);
    this.#guessed.delete(server.name);
    const read = async (): Promise<BackendDeps['remembered']> =>
      records.books?.store.read(async (tx) => {
        const own = await rememberedTools(tx, key);
        if (own !== undefined) return own;
        const others = await rememberedForOthers(tx, key);
        if (others !== undefined) this.#guessed.add(server.name);
        return others;
      });
    return (await read().catch(() => undefined)) ?? this.#tried(server, key);
  }

  /** The tools of the trial, which declared no capabilities. They are recorded like a list that this process has read from the server. */
  #tried(server: ServerConfig, key: CatalogueKey): BackendDeps['remembered'] {
    const { records, stateDir } = this.#deps;
    const tried = triedTools(stateDir, key);
    if (tried === undefined) return undefined;
    if (key.client !== '') this.#guessed.add(server.name);
    records.add((tx, to) => rememberTools(tx, { ...key, client: '' }, tried, to));
    return tried;
  }

  /** Whether the remembered tools of a server were listed for another client. Then it is no fault if the server lists none for this one. */
  isGuess(server: ServerConfig): boolean {
    return this.#guessed.has(server.name);
  }
}
