// Which servers of the clients move behind the switchboard, as what, and why the others stay. Reads the clients' files; starts and
// writes nothing.
import type { Around, Client, ClientPlace, ClientScope } from '../../clients/client.js';
import { hideSecrets } from '../../clients/hide-secrets.js';
import type { JsonObject } from '../../proof/json-object.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import type { Secrets } from '../../switchboard/config/secrets.js';
import { type BoardKind, type ClientBoard, isSameServer } from './boards.js';
import { OUR_NAME, serversIn, switchedOff } from './client-files.js';

/** A client, and where our entry goes in it. */
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

/** A server that can be moved, if it answers. */
export interface ServerMove {
  readonly found: FoundServer;
  readonly board: ClientBoard;
  /** Its name there. */
  readonly as: string;
  readonly server: JsonObject;
  /** False: the board has it already, or it is the same as one that moves too. */
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

/** Project scopes first: where two scopes of a client have one name, the nearer one counts there too. */
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

/** An administrator's file that we may not read is none of ours. */
const readable = (place: ClientPlace, around: Around): JsonObject => {
  try {
    return serversIn(place, around);
  } catch (thrown) {
    if (place.scope === 'managed') return {};
    throw thrown;
  }
};

/** Every project has the user's servers; an entry of ours in one project alone could not replace them in the others. */
const isReached = ({ client, place }: FoundServer, chosen: readonly Chosen[]): boolean =>
  place.scope !== 'user' || chosen.some((one) => one.client === client && one.scope === 'user');

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const NO_NAME = /^$|[\u0000-\u001f\u007f]/;

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

  /** Read once: the file may be large. */
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
    if (!isReached(found, chosen)) return 'Colibri is entered for this project only; --scope user moves it';
    if (NO_NAME.test(found.name) || found.name.length > PROOF_LIMITS.nameChars) return 'its name cannot be used';
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
    const renamed = as === found.name ? [] : [`is called ${as}: another server has that name`];
    this.moves.push({ found, board, as, server, isNew, changes: [...done.changes, ...hidden, ...renamed] });
  }

  /** Its own name, or one that says where it came from. */
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
