// The check `clients`: whether the program in each client's entry for Colibri still exists.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Around, Client, ClientPlace } from '../../clients/client.js';
import { CLIENTS } from '../../clients/table.js';
import { readEnv } from '../../config.js';
import { count } from '../../core/figures.js';
import { OUR_NAME, serversIn } from '../init/client-files.js';
import { oneLine } from '../screen/print.js';
import { type Check, type DoctorFinding, ok, problem, type Scene, warning } from './finding.js';

const REMEDY = 'Write the entry again: colibri init';

/** The paths in a client's entry for Colibri that do not exist any more. */
const missingIn = (entry: unknown): readonly string[] => {
  const { command, args } = (entry ?? {}) as { command?: unknown; args?: unknown };
  const paths = [command, ...(Array.isArray(args) ? args : [])];
  return paths.filter((path): path is string => typeof path === 'string' && isAbsolute(path) && !existsSync(path));
};

const lookAt = (client: Client, place: ClientPlace, around: Around): readonly DoctorFinding[] => {
  try {
    const entry = serversIn(place, around)[OUR_NAME];
    if (entry === undefined) return [];
    const missing = missingIn(entry);
    const where = `${client.title} (${place.file})`;
    if (missing.length === 0) return [ok(`${where} starts Colibri`)];
    return [problem(`${where} would start ${missing.join(' and ')}, which does not exist`, REMEDY)];
  } catch (thrown) {
    if (place.scope === 'managed') return []; // an administrator's file, which this user may not read
    return [warning(`${place.file} cannot be read: ${oneLine(thrown)}`, `${client.title} may not be able to either.`)];
  }
};

export const clients: Check = {
  name: 'clients',
  run: ({ project }: Scene) => {
    const projectDir = project.none ? undefined : project.dir;
    const around: Around = { home: homedir(), platform: process.platform, env: readEnv(), projectDir };
    const found = Object.values(CLIENTS).flatMap((client) =>
      client.places(around).flatMap((place) => lookAt(client, place, around)),
    );
    if (found.length > 0) return found;
    const known = count(Object.keys(CLIENTS).length, 'client');
    return [ok(`none of the ${known} that init knows starts Colibri; colibri init adds it`)];
  },
};
