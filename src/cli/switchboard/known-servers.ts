// The servers of the switchboard files in use, as a Colibri process would start them, with the folders of their logs.
import { readEnv } from '../../config.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { readBoards } from '../../switchboard/config/followed-files.js';
import { serverLogDir } from '../../switchboard/config/server-log-place.js';
import type { PlaceOptions } from '../place-options.js';
import { findFiles } from './place.js';

export interface ServerPlace {
  readonly server: ServerConfig;
  readonly dir: string;
}

export const knownServers = (options: PlaceOptions): readonly ServerPlace[] => {
  const places = findFiles(options);
  const [first] = places;
  if (first === undefined) return [];
  const stateDir = first.config.directories.state;
  const { merged } = readBoards(places, { env: readEnv(), stateDir });
  return merged.servers.map(({ server }) => ({ server, dir: serverLogDir(stateDir, server) }));
};
