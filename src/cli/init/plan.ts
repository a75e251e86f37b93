// Plans what init writes, without writing it: which clients and scopes, Colibri's entry for each client, the section in
// AGENTS.md, and notes about consequences that the person must judge.
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { managedFile } from '../../clients/claude-code.js';
import {
  type Around,
  CLIENT_IDS,
  type Client,
  type ClientId,
  type ClientPlace,
  type ClientScope,
  type Launch,
} from '../../clients/client.js';
import { CLIENTS } from '../../clients/table.js';
import { nearest } from '../../core/nearest.js';
import { explained } from '../../files/explained.js';
import { quote } from '../../modes.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { wrong } from '../target.js';
import { readText } from '../text-file.js';
import { AGENTS_TEXT, blockIn, withBlock } from './agents-block.js';
import type { FileChange } from './changes.js';
import { clientsThere, isColibri, modeFor, OUR_NAME, type PlacedEdit, serversIn } from './client-files.js';
import type { Chosen } from './import.js';
import type { ImportRow } from './moved.js';
import type { Setting } from './setting.js';

const named = (id: string): Client => {
  if (Object.hasOwn(CLIENTS, id)) return CLIENTS[id as ClientId];
  const meant = nearest(id, CLIENT_IDS);
  const hint =
    meant === undefined ? `The known clients are: ${CLIENT_IDS.join(', ')}.` : `The nearest client name is ${meant}.`;
  throw wrong(`There is no client ${quote(id)}.`, hint);
};

const scopeOf = ({ scopes }: Client, { projectDir }: Around): ClientScope =>
  scopes.find((scope) => projectDir !== undefined || scope === 'user') ?? scopes[0];

/** The clients that were named, or all that are installed, each with the scope for Colibri's entry. */
export const chooseClients = (ids: readonly string[], scope: ClientScope | undefined, around: Around) => {
  const clients = ids.length > 0 ? [...new Set(ids.map(named))] : clientsThere(around);
  if (clients.length === 0) {
    throw wrong('No client was found.', `Name a client: --client ${CLIENT_IDS.join(', --client ')}.`);
  }
  if (scope !== undefined && scope !== 'user' && around.projectDir === undefined) {
    throw wrong(
      `There is no project for --scope ${scope}.`,
      'Run the command in a repository, or give --project <dir>.',
    );
  }
  const without = scope === undefined ? [] : clients.filter(({ scopes }) => !scopes.includes(scope));
  const [first] = without;
  if (first !== undefined && (ids.length > 0 || without.length === clients.length)) {
    throw wrong(`${first.title} has no ${scope} scope.`, `The scopes of ${first.title}: ${first.scopes.join(', ')}.`);
  }
  const chosen = clients
    .filter((client) => !without.includes(client))
    .map((client): Chosen => ({ client, scope: scope ?? scopeOf(client, around) }));
  return { chosen, notes: without.map(({ title }) => `${title} has no ${scope} scope and is left out.`) };
};

export const clientPlaceOf = ({ client, scope }: Chosen, around: Around): ClientPlace => {
  const place = client.places(around).find((one) => one.scope === scope);
  if (place === undefined) throw wrong(`${client.title} has no ${scope} scope here.`, 'Give --project <dir>.');
  return place;
};

/**
 * Colibri's entry: keeps what a person has added to the existing entry, but replaces how Colibri is started. Nothing is kept of an entry
 * that is not Colibri's: its variables may be secrets of another server.
 */
const merged = (existing: unknown, entry: JsonObject): JsonObject =>
  isObject(existing) && isColibri({ name: OUR_NAME, was: existing }) ? laidOver(existing, entry) : entry;

/** The existing object with the members of the new one, at every level; a URL makes no sense beside a command and goes. */
const laidOver = (existing: JsonObject, now: JsonObject): JsonObject => {
  const { url: _url, headers: _headers, type: _type, ...others } = existing;
  const kept = now.command === undefined ? existing : others;
  const members = Object.entries(now).map(([key, value]) => {
    const old = kept[key];
    return [key, isObject(old) && isObject(value) ? laidOver(old, value) : value] as const;
  });
  return { ...kept, ...Object.fromEntries(members) };
};

/** Colibri's entry for a client; with `--required`, the keys that make the client wait for Colibri. */
export const entryFor = ({ entry, required }: Client, launch: Launch, isRequired: boolean): JsonObject => ({
  ...entry(launch),
  ...(isRequired && required),
});

/** The clients whose entries are written. Of two that use the same file, the first one's entry serves both. */
export const onePerPlace = (chosen: readonly Chosen[], around: Around): readonly Chosen[] => {
  const placeOf = (one: Chosen): string => {
    const { file, keys } = clientPlaceOf(one, around);
    return JSON.stringify([file, keys]);
  };
  return [...new Map(chosen.toReversed().map((one) => [placeOf(one), one])).values()].toReversed();
};

export const entryEdit = (one: Chosen, launch: Launch, around: Around, isRequired: boolean): PlacedEdit | undefined => {
  const place = clientPlaceOf(one, around);
  const servers = serversIn(place, around);
  const was = Object.hasOwn(servers, OUR_NAME) ? servers[OUR_NAME] : undefined;
  const now = merged(was, entryFor(one.client, launch, isRequired));
  return isDeepStrictEqual(was, now) ? undefined : { client: one.client, place, name: OUR_NAME, was, now };
};

/** The files that get Colibri's section: AGENTS.md, and CLAUDE.md unless it refers to AGENTS.md; if there is neither, a new AGENTS.md. */
const agentFiles = (projectDir: string): readonly string[] => {
  const [agents, claude] = [join(projectDir, 'AGENTS.md'), join(projectDir, 'CLAUDE.md')];
  if (!existsSync(claude)) return [agents];
  if (!existsSync(agents)) return [claude];
  const isSame =
    realpathSync(agents) === realpathSync(claude) ||
    /(^|\s)@(\.\/)?AGENTS\.md\b/.test(readText(claude, projectDir) ?? '');
  return isSame ? [agents] : [agents, claude];
};

export const agentChanges = (around: Around): readonly FileChange[] => {
  const { projectDir } = around;
  if (projectDir === undefined) throw wrong('There is no project for --agents.', 'Give --project <dir>.');
  return agentFiles(projectDir).flatMap((file) => {
    const before = readText(file, projectDir);
    const was = before === undefined ? undefined : explained(file, () => blockIn(before));
    const after = explained(file, () => withBlock(before, AGENTS_TEXT));
    const inverse = { kind: 'block', ...(was !== undefined && { was }) } as const;
    const what = 'what agents read';
    return after === before ? [] : [{ file, what, before, after, mode: modeFor(file, around), inverse }];
  });
};

/** True if a client's file in the project loses servers by the change. */
const isLosingServers = ({ file, inverse }: FileChange, projectDir: string | undefined): boolean =>
  inverse.kind === 'servers' &&
  inverse.client !== undefined &&
  projectDir !== undefined &&
  file.startsWith(`${projectDir}/`) &&
  inverse.edits.some(({ now }) => now === undefined);

/** Notes about the store: a project with a .colibri folder has its own store; earlier records stay in the old store. */
const storeNotes = ({ around, config }: Setting, isUser: boolean): readonly string[] => {
  const { projectDir } = around;
  if (projectDir === undefined)
    return isUser
      ? ['Nothing in the project is changed, so its records go to the store in your data directory.']
      : ['There is no project here, so the store in your data directory is used. --project <dir> names a project.'];
  const older = join(config.directories.data, 'colibri.db');
  const isNew = !existsSync(join(projectDir, '.colibri')) && config.dbPath === undefined;
  return isNew && existsSync(older)
    ? [`The store of this project is .colibri/colibri.db from now on; what was recorded before is in ${older}.`]
    : [];
};

/** The note that all clients share one switchboard, so a server that one client had becomes visible to all. */
const sharedServersNote = (rows: readonly ImportRow[]): readonly string[] => {
  const names = rows.flatMap(({ scope, verdict, as }) => (scope === 'user' && verdict !== 'left' ? [as] : []));
  const note = `There is one switchboard: from then on every client that starts Colibri at user level gets all the user-level servers that move, whichever client had them: ${[...new Set(names)].join(', ')}.`;
  return names.length === 0 ? [] : [note];
};

export const sharingNotes = (
  rows: readonly ImportRow[],
  files: readonly FileChange[],
  projectDir: string | undefined,
): readonly string[] => [
  ...sharedServersNote(rows),
  ...files
    .filter((change) => isLosingServers(change, projectDir))
    .map(({ file }) => `${file} is shared with the repository: if you commit it, others lose the servers that move.`),
];

export const notesFor = (
  chosen: readonly Chosen[],
  setting: Setting,
  { required: isRequired, user: isUser }: { readonly required?: true; readonly user?: true },
): readonly string[] => {
  const { around } = setting;
  const inProject = chosen.filter(({ scope }) => scope === 'project');
  const shared = [...new Set(inProject.map((one) => clientPlaceOf(one, around).file))];
  const settings = Object.keys(around.env).filter((name) => name.startsWith('COLIBRI_') && around.env[name]);
  const managed = managedFile(around);
  const isManaged = chosen.some(({ client }) => client.id === 'claude-code') && existsSync(managed);
  return [
    ...storeNotes(setting, isUser === true),
    ...shared.map((file) => `${file} is shared with the repository, and the paths in the entry are this machine's.`),
    ...(isManaged ? [`${managed} is there: Claude Code starts only the servers in it.`] : []),
    ...settings.map((name) => `${name} is set here; the entries do not contain it.`),
    ...(isRequired ? chosen.filter(({ client }) => client.required === undefined) : []).map(
      ({ client }) => `${client.title} has no setting for --required.`,
    ),
  ];
};
