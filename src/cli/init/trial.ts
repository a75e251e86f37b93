// Tries whether the servers that are to move also answer behind the switchboard. No server is started twice.
import type { JsonObject } from '../../proof/canonical-json.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { connectionDigest } from '../../switchboard/config/connection.js';
import type { Environment } from '../../switchboard/config/variables.js';
import { reachedBy } from '../switchboard/shown.js';
import { type OnTrial, type Trial, tryServers } from '../switchboard/try.js';
import { type ClientBoard, readClientBoard } from './boards.js';
import type { ServerMove } from './import.js';

/** A planned move, and the server's configuration as the switchboard reads it. */
export interface TrialCandidate {
  readonly move: ServerMove;
  readonly config: ServerConfig;
}

/** The servers that the planned moves `moves` add to one switchboard file. */
export const serversOn = (board: ClientBoard, moves: readonly ServerMove[]): JsonObject =>
  Object.fromEntries(moves.filter((move) => move.board === board && move.isNew).map(({ as, server }) => [as, server]));

export const candidatesFor = (moves: readonly ServerMove[], variables: Environment): readonly TrialCandidate[] => {
  const boards = new Set(moves.map(({ board }) => board));
  const read = (board: ClientBoard) => readClientBoard(board, serversOn(board, moves), variables).servers;
  const servers = new Map([...boards].map((board) => [board, read(board)]));
  return moves.flatMap((move) => {
    const config = servers.get(move.board)?.find(({ name }) => name === move.as);
    return config === undefined ? [] : [{ move, config }];
  });
};

/** The server's command or URL as written in the file, without secrets. Names the client if several have a server of this name. */
export const startLine = ({ move, config }: TrialCandidate, all: readonly TrialCandidate[]): string => {
  const isAlone = all.filter((one) => one.move.found.name === move.found.name).length === 1;
  const { client, place } = move.found;
  return `${config.name}${isAlone ? '' : ` (${client.title}, ${place.scope})`}: ${reachedBy(config, {})}`;
};

export class Trials {
  readonly #done = new Map<string, Trial | undefined>();

  #keyOf({ config }: TrialCandidate): string {
    return `${config.name} ${connectionDigest(config)}`;
  }

  /** The servers that can be started and have not been tried yet. */
  waiting(candidates: readonly TrialCandidate[]): readonly TrialCandidate[] {
    const open = candidates.filter((one) => one.config.missing.length === 0 && !this.#done.has(this.#keyOf(one)));
    return [...new Map(open.map((one) => [this.#keyOf(one), one])).values()];
  }

  async run(candidates: readonly TrialCandidate[], onTrial: OnTrial): Promise<void> {
    const waiting = this.waiting(candidates);
    const configs = waiting.map(({ config }) => config);
    const trials = await tryServers(configs, onTrial);
    for (const one of waiting) this.#done.set(this.#keyOf(one), trials.get(one.config));
  }

  of(candidate: TrialCandidate): Trial | undefined {
    return this.#done.get(this.#keyOf(candidate));
  }
}
