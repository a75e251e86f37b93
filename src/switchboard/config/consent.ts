// May a server of this file be started, and with which entry? A cloned repository must not run commands by itself, nor say what
// may be done with those that the user agreed to. Consent is given to the whole entry of a server and the routes that name it,
// in this project and this file; what was agreed to is kept, so that a changed file changes nothing until somebody has seen it.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { JsonObject } from '../../proof/json-object.js';
import type { Hold } from '../health/state.js';
import type { Approval } from './approvals.js';
import { withFree } from './asked.js';
import { parseSwitchboard, type ServerConfig, type Surroundings, type SwitchboardConfig } from './config.js';
import { connectionDigest } from './connection.js';
import type { FileOrigin } from './place.js';
import type { Provider, Route } from './routes.js';

/** Asked about a server of the configuration as it is to run. */
export interface Consent {
  /** Why the server may not be dialled until a person acts; null: it may. */
  holdOf(server: Pick<ServerConfig, 'name' | 'missing'>): Hold | null;
}

/**
 * `own`: the user's file has it. `changed`: what was approved is other than what the file says now. `old`: approved before approvals
 * covered more than the connection.
 */
export type ConsentStanding = 'own' | 'approved' | 'changed' | 'old' | 'not_approved';

/** A server of a file, and what the user has said about it. */
export interface JudgedServer {
  readonly file: string;
  readonly origin: FileOrigin;
  readonly standing: ConsentStanding;
  /** As the file has it. */
  readonly asked: ServerConfig;
  /** As it may run. */
  readonly server: ServerConfig;
  /** Routes that were approved with it, as they were. */
  readonly routes: readonly Route[];
}

/** The project of a file `<project>/.colibri/switchboard.json`, by its real path: links and other spellings are the same project. */
export const projectOf = (file: string): string => {
  const dir = resolve(dirname(dirname(file)));
  try {
    return realpathSync(dir);
  } catch {
    return dir;
  }
};

const namedBy = (server: string, routes: readonly Route[]): readonly Route[] =>
  routes.filter(({ providers }) => providers.some((provider) => provider.server === server));

const writtenProvider = ({ arguments: args, ...provider }: Provider): JsonObject =>
  args === null ? { ...provider } : { ...provider, arguments: args };

const writtenRoutes = (routes: readonly Route[]): JsonObject =>
  Object.fromEntries(routes.map(({ name, providers }) => [name, providers.map(writtenProvider)]));

/** What is agreed to when a server of a project's file is approved. */
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

/** Whether a server is what somebody wrote into the file just now, and neither its defaults nor its routes add to that. */
export const isAsGiven = (
  server: ServerConfig,
  { file, routes }: Pick<SwitchboardConfig, 'file' | 'routes'>,
  given: unknown,
): boolean => {
  const alone = JSON.stringify({ mcpServers: { [server.name]: given } });
  const [only] = parseSwitchboard(alone, { file, env: {}, configDir: dirname(file) }).servers;
  return isDeepStrictEqual(only?.asked.entry, server.asked.entry) && namedBy(server.name, routes).length === 0;
};

/** Keys that let a server do more than answer calls; those of an old approval were never shown to anybody. */
const GRANTS = ['capability', 'readOnly', 'idempotent', 'trustHints', 'inheritEnv', 'interactive'] as const;

const minimal = <C extends ServerConfig['connection']>(connection: C): C =>
  connection.kind === 'stdio' ? { ...connection, inheritEnv: 'minimal' } : connection;

/** Each of GRANTS at the value that grants the least. */
const withoutGrants = (server: ServerConfig): ServerConfig => ({
  ...server,
  written: minimal(server.written),
  connection: minimal(server.connection),
  trustHints: false,
  interactive: false,
  tools: { ...server.tools, idempotent: [], readOnly: [] },
  health: { ...server.health, capability: null },
});

/** A server as it was approved, and its routes; undefined where that can no longer be read. */
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

/** Of a project's file, by what the user has agreed to. */
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
  return isOld
    ? { ...basis, standing: 'old', server: withoutGrants(asked) }
    : { ...basis, standing: 'not_approved', server: asked };
};

export const ownServer = (server: ServerConfig, file: string, origin: FileOrigin): JudgedServer => ({
  file,
  origin,
  standing: 'own',
  asked: server,
  server,
  routes: [],
});

const RENEW = 'to see it and agree: colibri switchboard approve';

/** What there is to tell about it; null: nothing. */
export const consentNote = ({ standing }: Pick<JudgedServer, 'standing'>): string | null => {
  if (standing === 'changed')
    return `its entry or a route in the project's file has changed since it was approved; it goes on as approved; ${RENEW}`;
  if (standing === 'old')
    return `approved before approvals said what a server may do: ${GRANTS.join(', ')} and its routes are ignored; ${RENEW}`;
  return null;
};

export const consentHold = ({ standing, server }: JudgedServer): Hold | null => {
  if (standing === 'not_approved') return 'not_approved';
  return server.missing.length > 0 ? 'missing_variable' : null;
};
