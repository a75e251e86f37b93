// Finds what is lost with a server that is removed from a switchboard file: routes that name it are switched off, and secrets that
// `switchboard add` or `init --import` saved for it are removed if no file refers to them any more. References are searched in every
// switchboard file that this user's processes know; if a file cannot be read, no secret is removed.

import { dirname } from 'node:path';
import { readEnv } from '../../config.js';
import { quietly } from '../../errors.js';
import type { HeldState } from '../../files/held-file.js';
import { readKnownProjects } from '../../start/known-projects.js';
import { approvalsFile } from '../../switchboard/config/approvals.js';
import { parseSwitchboard, type SwitchboardConfig } from '../../switchboard/config/config.js';
import { projectFile } from '../../switchboard/config/place.js';
import { changeSecrets } from '../../switchboard/config/secrets.js';
import { readText } from '../text-file.js';

export interface LostRoute {
  readonly route: string;
  /** The removed servers that the route names. */
  readonly servers: readonly string[];
}

/** Parses the text of a switchboard file and fills in variables from the environment. */
export const parsedBoard = (file: string, text: string): SwitchboardConfig =>
  parseSwitchboard(text, { file, env: readEnv(), configDir: dirname(file) });

/** The routes that an edit switches off; routes that named a missing server before the edit are left out. */
export const lostRoutes = (file: string, before: string, after: string): readonly LostRoute[] => {
  const { servers, routes } = parsedBoard(file, after);
  const kept = new Set(servers.map(({ name }) => name));
  const gone = new Set(parsedBoard(file, before).servers.flatMap(({ name }) => (kept.has(name) ? [] : [name])));
  return routes.flatMap(({ name: route, providers }) => {
    const lost = new Set(providers.map(({ server }) => server).filter((server) => gone.has(server)));
    return lost.size === 0 ? [] : [{ route, servers: [...lost] }];
  });
};

export const lostRouteText = ({ route, servers }: LostRoute): string =>
  `route ${route} is switched off: it names ${servers.join(', ')}; correct or remove the route`;

interface Removal {
  readonly server: string;
  /** The text of the switchboard file without the server. */
  readonly after: string;
  readonly before: string;
  /** The paths of the switchboard files outside projects: the user's own file and the file that the settings name. */
  readonly userFiles: readonly string[];
}

const REFERENCE = /\$\{secret:([A-Za-z0-9_.-]+)\}/g;

const namesIn = (text: string): readonly string[] => [...text.matchAll(REFERENCE)].map(([, name]) => name ?? '');

/** True if the secret is named after the server (clients/hide-secrets.ts): a repository's file must not remove another server's secret. */
const isOf = (server: string, name: string): boolean => name.startsWith(`${server}.`.replace(/[^A-Za-z0-9_.-]/g, '_'));

/** The texts of all known switchboard files and of the approvals file; undefined if a file cannot be read. */
const textsElsewhere = (stateDir: string, userFiles: readonly string[]): readonly string[] | undefined =>
  quietly(() => {
    const projects = readKnownProjects(stateDir)?.map(({ path }) => readText(projectFile(path), path) ?? '');
    return projects && [...projects, ...[...userFiles, approvalsFile(stateDir)].map((file) => readText(file) ?? '')];
  });

/** Removes secrets from the secrets file, and the file if none is left. Returns the names of the removed secrets. */
export const dropSecrets = (held: HeldState, isGone: (name: string) => boolean): readonly string[] => {
  let gone: readonly string[] = [];
  changeSecrets(held, (now) => {
    gone = Object.keys(now).filter(isGone);
    if (gone.length === 0) return now;
    const kept = Object.entries(now).filter(([name]) => !gone.includes(name));
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  });
  return gone;
};

/** Removes the unused secrets and returns their names. Call this after the switchboard file was written. */
export const removeUnused = (held: HeldState, { server, before, after, userFiles }: Removal): readonly string[] => {
  const mine = new Set(namesIn(before).filter((name) => isOf(server, name)));
  if (mine.size === 0) return [];
  const texts = textsElsewhere(held.dir, userFiles);
  if (texts === undefined) return [];
  const wanted = new Set([after, ...texts].flatMap(namesIn));
  return dropSecrets(held, (name) => mine.has(name) && !wanted.has(name));
};
