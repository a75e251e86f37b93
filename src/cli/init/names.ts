// Chooses the names that imported servers get on the switchboard. The user's and the project's switchboard files are merged by name, so a name
// that stands for two different servers in them would hide one of the two.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import { type ClientBoard, type ClientBoards, isSameServer } from './boards.js';
import { type FoundServer, OUR_NAME } from './client-files.js';
import type { ServerMove } from './import.js';

/** A name on the switchboard, and what is there already. */
export interface ChosenName {
  readonly as: string;
  /** The entry of the same server under this name; undefined if the server is added. */
  readonly there?: unknown;
  /** Says why the server does not keep its name; undefined if it does. */
  readonly why?: string;
}

/** A server that has the wanted name, and who has it. */
interface Holder {
  readonly board: ClientBoard;
  readonly server: unknown;
  readonly who: string;
  /** True if the server's entry in the client's file names the folder in which the server starts. */
  readonly namesFolder: boolean;
}

const namesFolder = ({ was }: FoundServer): boolean => isObject(was) && was.cwd !== undefined;

/** True if the name stands for the same server. Clients start servers in different folders; that counts only where an entry names a folder. */
const isSame = (holder: Holder, found: FoundServer, server: JsonObject): boolean => {
  const isFolderNamed = holder.namesFolder || namesFolder(found);
  const folder = isObject(holder.server) ? holder.server.cwd : undefined;
  return isSameServer(holder.server, server) && (!isFolderNamed || folder === server.cwd);
};

const numbered = (name: string, tries: number): string => {
  if (tries === 1) return name;
  const end = `-${tries}`;
  return `${name.slice(0, PROOF_LIMITS.nameChars - end.length).toWellFormed()}${end}`;
};

export class ImportedNames {
  readonly #boards: readonly ClientBoard[];
  /** The names that servers have in the clients' files: no other server is renamed to one of these. */
  readonly #found: ReadonlySet<string>;

  constructor({ user, project }: ClientBoards, found: readonly FoundServer[]) {
    this.#boards = project === undefined ? [user] : [user, project];
    this.#found = new Set(found.map(({ name }) => name));
  }

  #holders(name: string, moves: readonly ServerMove[]): readonly Holder[] {
    const planned = moves
      .filter(({ as }) => as === name)
      .map(({ board, server, found }): Holder => {
        const who = `${found.client.title} (${found.place.scope})`;
        return { board, server, who, namesFolder: namesFolder(found) };
      });
    const there = this.#boards
      .filter(({ servers }) => Object.hasOwn(servers, name))
      .map((board): Holder => ({ board, server: board.servers[name], who: board.file, namesFolder: false }));
    return [...planned, ...there];
  }

  /** The server's own name, or if that name has another server in one of the files, the name with a number that is free: `name-2`. */
  choose(board: ClientBoard, found: FoundServer, server: JsonObject, moves: readonly ServerMove[]): ChosenName {
    const { name } = found;
    let why = name === OUR_NAME ? 'this is the name of Colibri' : undefined;
    for (let tries = why === undefined ? 1 : 2; ; tries += 1) {
      const as = numbered(name, tries);
      const holders = this.#holders(as, moves);
      const same = holders.find((one) => one.board === board && isSame(one, found, server));
      if (same !== undefined) return { as, there: same.server, ...(why !== undefined && { why }) };
      const other = holders.find((one) => !isSame(one, found, server));
      if (other === undefined && (tries === 1 || !this.#found.has(as)))
        return { as, ...(why !== undefined && { why }) };
      why ??= `${other?.who} has another server of this name`;
    }
  }
}
