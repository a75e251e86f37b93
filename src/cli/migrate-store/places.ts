// Finds the two stores of a move: the one that is moved, and the place to which it goes.
import { resolve } from 'node:path';
import { workingDirectory } from '../../config.js';
import { ColibriError } from '../../errors.js';
import { claimNodeId } from '../../start/node-id.js';
import { resolveProject, resolveStore, type StoreChoice } from '../../start/project.js';
import { namedStore, type PlaceOptions, type StoreAt, storeAt } from '../place.js';
import { commandSettings } from '../settings.js';
import { wrong } from '../target.js';

/** The word for the database that COLIBRI_DATABASE_URL names. No address is given on the command line, where everybody can read it. */
const SERVER = 'postgres';

export interface StoreMove {
  readonly source: StoreAt;
  readonly target: StoreAt;
}

export const placesOfMove = ({ project, db }: PlaceOptions, to: string): StoreMove => {
  if (/^postgres(ql)?:/i.test(to))
    throw wrong(
      'An address may hold a password, so it is not given here.',
      'Set COLIBRI_DATABASE_URL and give --to postgres.',
    );
  const config = commandSettings(project);
  const found = resolveProject(config.projectHints);
  const server = resolveStore(config, found);
  if (server.kind !== 'postgres') {
    throw new ColibriError('CONFIG_INVALID', 'No database on a server is named.', {
      remedy: 'Set COLIBRI_DATABASE_URL, or COLIBRI_DATABASE_URL_FILE with a file that has the address.',
    });
  }
  const withoutUrl = { ...config, databaseUrl: undefined, databaseUrlFile: undefined };
  const file = (path: string | undefined): StoreChoice =>
    path === undefined ? resolveStore(withoutUrl, found) : namedStore(path);
  if (to === SERVER) return { source: storeAt(config, file(db)), target: serverAt(storeAt(config, server)) };
  if (db !== undefined) throw wrong('--db names a file, and the store is moved out of PostgreSQL.', 'Leave --db out.');
  return { source: storeAt(config, server), target: storeAt(config, namedStore(resolve(workingDirectory(), to))) };
};

/** A machine that writes to a server for the first time gets its id there. */
const serverAt = (at: StoreAt): StoreAt => ({ ...at, node: claimNodeId(at.config.directories.state) });
