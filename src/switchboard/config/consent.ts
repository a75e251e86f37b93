// Decides whether a server of a project's file may be started, and with which entry: a cloned repository must not run commands by itself,
// nor extend what the user approved. An approval covers a server's whole entry and the routes that name it, in one project; the approved
// entry is kept, so that a change of the file has no effect until the user approves the new entry.

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { quietly } from '../../errors.js';
import { canonicalJson, type JsonObject } from '../../proof/canonical-json.js';
import type { Hold } from '../health/state.js';
import type { Approval } from './approvals.js';
import { withFree } from './asked.js';
import { parseSwitchboard, type ServerConfig, type Surroundings, type SwitchboardConfig } from './config.js';
import { connectionDigest } from './connection.js';
import type { FileOrigin } from './place.js';
import type { Provider, Route } from './routes.js';

/** Answers whether a server may be connected to: the user has approved it, and all its variables are set. */
export interface Consent {
  /** Why the server must not be connected to until a person acts; null if connecting is allowed. */
  holdOf(server: Pick<ServerConfig, 'name'>): Hold | null;
}

/**
 * Whether the user approved a server. `own`: the server is in the user's own file and needs no approval. `changed`: its entry, or a route
 * that names it, differs from what was approved. `old`: it was approved with an older version of Colibri, whose approvals cover only the connection.
 */
export type ConsentStanding = 'own' | 'approved' | 'changed' | 'old' | 'not_approved';

/** A server of a switchboard file, and whether the user has approved that server. */
export interface JudgedServer {
  readonly file: string;
  readonly origin: FileOrigin;
  readonly standing: ConsentStanding;
  /** The server's configuration as the switchboard file has it now. */
  readonly asked: ServerConfig;
  /** The configuration that the server is allowed to run with. */
  readonly server: ServerConfig;
  /** The routes that were approved together with the server, as they were at the approval. */
  readonly routes: readonly Route[];
}

/** The real path of the folder `<project>` for a file `<project>/.colibri/switchboard.json`. A symbolic link to it is the same project. */
export const projectOf = (file: string): string => {
  const dir = resolve(dirname(dirname(file)));
  return quietly(() => realpathSync(dir)) ?? dir;
};

const namedBy = (server: string, routes: readonly Route[]): readonly Route[] =>
  routes.filter(({ providers }) => providers.some((provider) => provider.server === server));

/** A provider as a switchboard file has it, without the keys that are left out. */
const writtenProvider = ({ arguments: args, fallbackOnError, ...provider }: Provider): JsonObject => ({
  ...provider,
  ...(fallbackOnError !== null && { fallbackOnError }),
  ...(args !== null && { arguments: args }),
});

const writtenRoutes = (routes: readonly Route[]): JsonObject =>
  Object.fromEntries(routes.map(({ name, providers }) => [name, providers.map(writtenProvider)]));

/** The approval that is stored if the user approves a server of a project's file with its current entry and routes. */
export const approvalFor = (
  server: ServerConfig,
  { file, routes }: Pick<SwitchboardConfig, 'file' | 'routes'>,
): Omit<Approval, 'at'> => {
  const consented = {
    project: projectOf(file),
    scope: 'project',
    server: server.name,
    entry: server.asked.entry,
    routes: writtenRoutes(namedBy(server.name, routes)),
  } as const;
  const digest = createHash('sha256').update(canonicalJson(consented)).digest('hex');
  return { digest, file, ...consented };
};

/** Whether a server's configuration is exactly what its entry `given` says: no `defaults` or routes of the switchboard file add anything. */
export const isAsGiven = (
  server: ServerConfig,
  { file, routes }: Pick<SwitchboardConfig, 'file' | 'routes'>,
  given: unknown,
): boolean => {
  const alone = JSON.stringify({ mcpServers: { [server.name]: given } });
  const [only] = parseSwitchboard(alone, { file, env: {}, configDir: dirname(file) }).servers;
  return isDeepStrictEqual(only?.asked.entry, server.asked.entry) && namedBy(server.name, routes).length === 0;
};

/** Keys that let a server do more than answer calls. Older versions of Colibri did not show these keys to a user who approved a server. */
const GRANTS = ['capability', 'readOnly', 'idempotent', 'trustHints', 'inheritEnv', 'interactive'] as const;

const minimal = <C extends ServerConfig['connection']>(connection: C): C =>
  connection.kind === 'stdio' ? { ...connection, inheritEnv: 'minimal' } : connection;

/** A server's configuration with each key of GRANTS at the value that grants the least. */
const withoutGrants = (server: ServerConfig): ServerConfig => ({
  ...server,
  written: minimal(server.written),
  connection: minimal(server.connection),
  trustHints: false,
  interactive: false,
  tools: { ...server.tools, idempotent: [], readOnly: [] },
  health: { ...server.health, capability: null },
});

/** A server and its routes as they were approved, not as the switchboard file has them now; undefined if what was approved is no longer valid. */
const keptServer = (
  { server: name, entry = {}, routes = {} }: Approval,
  asked: ServerConfig,
  around: Surroundings,
): Pick<JudgedServer, 'server' | 'routes'> | undefined => {
  const text = JSON.stringify({ mcpServers: { [name]: withFree(entry, asked.asked.free) }, routes });
  const kept = parseSwitchboard(text, around);
  const [server] = kept.servers;
  return server === undefined || kept.errors.length > 0 ? undefined : { server, routes: kept.routes };
};

/** Decides by the user's approvals with which configuration and routes a server of a project's file may run. */
export const judgeConsent = (
  asked: ServerConfig,
  config: SwitchboardConfig,
  { approvals, around }: { readonly approvals: readonly Approval[]; readonly around: Surroundings },
): JudgedServer => {
  const basis = { file: config.file, origin: 'project', asked, server: asked, routes: [] } as const;
  const wanted = approvalFor(asked, config);
  const ours = approvals.filter(({ server, project }) => server === asked.name && project === wanted.project);
  if (ours.some(({ digest }) => digest === wanted.digest))
    return { ...basis, standing: 'approved', routes: namedBy(asked.name, config.routes) };
  const last = ours.at(-1);
  const kept = last && keptServer(last, asked, around);
  if (kept !== undefined) return { ...basis, standing: 'changed', ...kept };
  const connection = connectionDigest(asked);
  const isOld = approvals.some(
    ({ digest, project, file }) =>
      project === undefined && digest === connection && projectOf(file) === wanted.project && ours.length === 0,
  );
  return isOld ? { ...basis, standing: 'old', server: withoutGrants(asked) } : { ...basis, standing: 'not_approved' };
};

export const ownServer = (server: ServerConfig, file: string, origin: FileOrigin): JudgedServer => ({
  file,
  origin,
  standing: 'own',
  asked: server,
  server,
  routes: [],
});

const RENEW = 'to see and approve it: colibri switchboard approve';

/** A note for the user about a server's approval; null if none is needed. */
export const consentNote = ({ standing }: Pick<JudgedServer, 'standing'>): string | null => {
  if (standing === 'changed')
    return `its entry or a route in the project's file has changed since it was approved; it keeps running as approved; ${RENEW}`;
  if (standing === 'old')
    return `it was approved before approvals said what a server may do: ${GRANTS.join(', ')} and its routes are ignored; ${RENEW}`;
  return null;
};

export const consentHold = ({ standing, server }: JudgedServer): Hold | null => {
  if (standing === 'not_approved') return 'not_approved';
  return server.missing.length > 0 ? 'missing_variable' : null;
};
