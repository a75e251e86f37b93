// Plans an import: which servers of the clients move behind the switchboard, under which names, and why the others stay. The planning
// reads the clients' files; it does not start or write anything.
import type { Around, Client, ClientPlace, ClientScope } from '../../clients/client.js';
import { hideSecrets } from '../../clients/hide-secrets.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import type { Secrets } from '../../switchboard/config/secrets.js';
import { type ClientBoard, type ClientBoards, differingKeys } from './boards.js';
import { type FoundServer, isColibri, isSamePlace, serversIn, switchedOff } from './client-files.js';
import { type ChosenName, ImportedNames } from './names.js';

/** A client, and the scope that Colibri's entry is written to. */
export interface Chosen {
  readonly client: Client;
  readonly scope: ClientScope;
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

export interface ImportPlan {
  readonly moves: readonly ServerMove[];
  /** The servers that stay with their client. */
  readonly stays: readonly { readonly found: FoundServer; readonly why: string }[];
  readonly secrets: Secrets;
}

/** The servers of the clients, project scopes first: if a name is in two scopes, the client also prefers the project's server. */
const findServers = (chosen: readonly Chosen[], around: Around): readonly FoundServer[] => {
  const all = chosen.flatMap(({ client }) =>
    client
      .places(around)
      .flatMap((place) =>
        Object.entries(readable(place, around)).map(([name, was]): FoundServer => ({ client, place, name, was })),
      ),
  );
  const isUsers = ({ place }: FoundServer): boolean => place.scope === 'user';
  // Two clients may use the same file; a server in it is found once.
  const each = all.filter((found, index) => all.findIndex((one) => isSamePlace(one, found)) === index);
  return [...each.filter((found) => !isUsers(found)), ...each.filter(isUsers)].filter((found) => !isColibri(found));
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

const reasonToStay = (found: FoundServer, chosen: readonly Chosen[], isOff: (found: FoundServer) => boolean) => {
  if (found.place.scope === 'managed') return 'an administrator manages that file';
  if (isOff(found)) return 'it is switched off there';
  if (!isReached(found, chosen))
    return 'Colibri is added to this project only; with --scope user the server would move';
  if (BAD_NAME.test(found.name) || found.name.length > PROOF_LIMITS.nameChars) return 'its name cannot be used';
  return undefined;
};

/** Sentences about a server's name, and about settings that it loses because the same server is on the switchboard already. */
const namingChanges = ({ as, there, why }: ChosenName, server: JsonObject): readonly string[] => {
  const differing = there === undefined ? [] : differingKeys(there, server);
  return [
    ...(why === undefined ? [] : [`is renamed to ${as}: ${why}`]),
    ...(differing.length === 0 ? [] : [`the entry that is there counts; it differs in ${differing.join(', ')}`]),
  ];
};

/** Plans the servers one after the other, so that each gets a name, and names of secrets, that no earlier server has. */
export const planImport = (
  chosen: readonly Chosen[],
  boards: ClientBoards,
  around: Around,
  known: Secrets,
): ImportPlan => {
  const moves: ServerMove[] = [];
  const stays: ImportPlan['stays'][number][] = [];
  const secrets: Record<string, string> = {};
  const off = new Map<Client, ReadonlySet<string>>(); // a client's file is read only once, because it may be large
  const isOff = ({ client, name }: FoundServer): boolean => {
    const names = off.get(client) ?? switchedOff(client, around);
    off.set(client, names);
    return names.has(name) || names.has(name.trim().toLowerCase()); // Gemini CLI notes names in lower case
  };
  const all = findServers(chosen, around);
  const names = new ImportedNames(boards, all);
  for (const found of all) {
    const { scope } = found.place;
    const board = (scope === 'user' ? undefined : boards.project) ?? boards.user;
    const left = reasonToStay(found, chosen, isOff);
    const done = left === undefined ? found.client.translate(found.was, { kind: board.kind, around, scope }) : { left };
    if ('left' in done) {
      stays.push({ found, why: done.left });
      continue;
    }
    const { server, places, secrets: hidden } = hideSecrets(found.name, done.server, { ...known, ...secrets });
    Object.assign(secrets, hidden);
    const name = names.choose(board, found, server, moves);
    const saved = places.map((place) => `${place} goes to the secrets file`);
    const changes = [...done.changes, ...saved, ...namingChanges(name, server)];
    moves.push({ found, board, as: name.as, server, isNew: name.there === undefined, changes });
  }
  return { moves, stays, secrets };
};
