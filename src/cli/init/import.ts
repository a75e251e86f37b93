// Plans an import: which servers of the clients move behind the switchboard, under which names, and why the others stay. The planning
// reads the clients' files; it does not start or write anything.
import type { Around, Client, ClientPlace, ClientScope } from '../../clients/client.js';
import { hideSecrets } from '../../clients/hide-secrets.js';
import type { JsonObject } from '../../proof/json-object.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import type { Secrets } from '../../switchboard/config/secrets.js';
import { type BoardKind, type ClientBoard, isSameServer } from './boards.js';
import { OUR_NAME, serversIn, switchedOff } from './client-files.js';

/** A client, and the scope that Colibri's entry is written to. */
export interface Chosen {
  readonly client: Client;
  readonly scope: ClientScope;
}

export interface FoundServer {
  readonly client: Client;
  readonly place: ClientPlace;
  readonly name: string;
  readonly value: unknown;
}

/** A planned move of a server behind the switchboard; it is made only if the server answers. */
export interface ServerMove {
  readonly found: FoundServer;
  readonly board: ClientBoard;
  /** The server's name on the switchboard. */
  readonly as: string;
  readonly server: JsonObject;
  /** True if the move adds the server; false if the switchboard file has the server, or another client's move adds the same server. */
  readonly isNew: boolean;
  readonly changes: readonly string[];
}

export interface Stay {
  readonly found: FoundServer;
  readonly why: string;
}

export interface ImportPlan {
  readonly moves: readonly ServerMove[];
  readonly stays: readonly Stay[];
  readonly secrets: Secrets;
}

const isOurs = ({ name, value }: FoundServer): boolean => {
  const { args } = (value ?? {}) as { args?: unknown };
  return (
    name === OUR_NAME ||
    (Array.isArray(args) && args.some((arg) => /colibri.*[\\/]cli[\\/]main\.js$/.test(String(arg))))
  );
};

/** The servers of the clients, project scopes first: if a name is in two scopes, the client also prefers the project's server. */
const findServers = (chosen: readonly Chosen[], around: Around): readonly FoundServer[] => {
  const all = chosen.flatMap(({ client }) =>
    client
      .places(around)
      .flatMap((place) =>
        Object.entries(readable(place, around)).map(([name, value]): FoundServer => ({ client, place, name, value })),
      ),
  );
  const isUsers = ({ place }: FoundServer): boolean => place.scope === 'user';
  return [...all.filter((found) => !isUsers(found)), ...all.filter(isUsers)].filter((found) => !isOurs(found));
};

/** The servers in a client's file; none if it is an administrator's file that this user may not read. */
const readable = (place: ClientPlace, around: Around): JsonObject => {
  try {
    return serversIn(place, around);
  } catch (thrown) {
    if (place.scope === 'managed') return {};
    throw thrown;
  }
};

/** True if the server may move: one of user scope serves all projects, so it moves only if Colibri's entry is of user scope too. */
const isReached = ({ client, place }: FoundServer, chosen: readonly Chosen[]): boolean =>
  place.scope !== 'user' || chosen.some((one) => one.client === client && one.scope === 'user');

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const BAD_NAME = /^$|[\u0000-\u001f\u007f]/;

class Importing {
  readonly moves: ServerMove[] = [];
  readonly stays: Stay[] = [];
  readonly secrets: Record<string, string> = {};
  readonly #boards: Readonly<Partial<Record<BoardKind, ClientBoard>>>;
  readonly #around: Around;
  readonly #known: Secrets;
  readonly #off = new Map<Client, ReadonlySet<string>>();

  constructor(boards: Readonly<Partial<Record<BoardKind, ClientBoard>>>, around: Around, known: Secrets) {
    this.#boards = boards;
    this.#around = around;
    this.#known = known;
  }

  /** The client's switched-off servers. The client's file is read only once, because it may be large. */
  #offIn(client: Client): ReadonlySet<string> {
    const known = this.#off.get(client) ?? switchedOff(client, this.#around);
    this.#off.set(client, known);
    return known;
  }

  look(found: FoundServer, chosen: readonly Chosen[]): void {
    const why = this.#reasonToStay(found, chosen);
    if (why !== undefined) this.stays.push({ found, why });
    else this.#translate(found);
  }

  #reasonToStay(found: FoundServer, chosen: readonly Chosen[]): string | undefined {
    if (found.place.scope === 'managed') return 'an administrator manages that file';
    if (this.#offIn(found.client).has(found.name)) return 'it is switched off there';
    if (!isReached(found, chosen)) return 'Colibri is added to this project only; with --scope user it would move';
    if (BAD_NAME.test(found.name) || found.name.length > PROOF_LIMITS.nameChars) return 'its name cannot be used';
    return undefined;
  }

  #translate(found: FoundServer): void {
    const kind = found.place.scope === 'user' ? 'user' : 'project';
    const board = this.#boards[kind];
    if (board === undefined) return;
    const done = found.client.translate(found.value, { kind, around: this.#around, scope: found.place.scope });
    if ('left' in done) {
      this.stays.push({ found, why: done.left });
      return;
    }
    const { server, secrets, places } = hideSecrets(found.name, done.server, { ...this.#known, ...this.secrets });
    Object.assign(this.secrets, secrets);
    const { as, isNew } = this.#nameIn(board, found, server);
    const hidden = places.map((place) => `${place} goes to the secrets file`);
    const renamed = as === found.name ? [] : [`is renamed to ${as}: another server has its name`];
    this.moves.push({ found, board, as, server, isNew, changes: [...done.changes, ...hidden, ...renamed] });
  }

  /** The server's name on the switchboard: its own, or if that is taken, one with the client's id. */
  #nameIn(board: ClientBoard, { name, client }: FoundServer, server: JsonObject): { as: string; isNew: boolean } {
    for (let tries = 1; ; tries += 1) {
      const as = [name, `${name}-${client.id}`][tries - 1] ?? `${name}-${client.id}-${tries}`;
      const planned = this.moves.find((move) => move.board === board && move.as === as)?.server;
      const there = planned ?? (Object.hasOwn(board.servers, as) ? board.servers[as] : undefined);
      if (there === undefined) return { as, isNew: true };
      if (isSameServer(there, server)) return { as, isNew: false };
    }
  }
}

export const planImport = (
  chosen: readonly Chosen[],
  boards: Readonly<Partial<Record<BoardKind, ClientBoard>>>,
  around: Around,
  known: Secrets,
): ImportPlan => {
  const importing = new Importing(boards, around, known);
  for (const found of findServers(chosen, around)) importing.look(found, chosen);
  const { moves, stays, secrets } = importing;
  return { moves, stays, secrets };
};
