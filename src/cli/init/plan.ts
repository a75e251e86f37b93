// Plans what init writes, without writing it: which clients and scopes, Colibri's entry for each client, the section in AGENTS.md.
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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
import { quote } from '../../modes.js';
import { isObject, type JsonObject } from '../../proof/json-object.js';
import { wrong } from '../target.js';
import { readText } from '../text-file.js';
import { AGENTS_TEXT, blockIn, withBlock } from './agents-block.js';
import type { FileChange } from './changes.js';
import { clientsThere, edited, modeFor, OUR_NAME, type PlacedEdit, serversIn } from './client-files.js';
import type { Chosen } from './import.js';

const named = (id: string): Client => {
  if (Object.hasOwn(CLIENTS, id)) return CLIENTS[id as ClientId];
  const meant = nearest(id, CLIENT_IDS);
  const hint = meant === undefined ? `The known clients are: ${CLIENT_IDS.join(', ')}.` : `The nearest is ${meant}.`;
  throw wrong(`There is no client ${quote(id)}.`, hint);
};

const scopeOf = ({ scopes }: Client, { projectDir }: Around): ClientScope =>
  scopes.find((scope) => projectDir !== undefined || scope === 'user') ?? scopes[0];

export interface Choice {
  readonly chosen: readonly Chosen[];
  readonly notes: readonly string[];
}

/** The clients that were named, or all that are installed, each with the scope for Colibri's entry. */
export const chooseClients = (ids: readonly string[], scope: ClientScope | undefined, around: Around): Choice => {
  const clients = ids.length > 0 ? [...new Set(ids.map(named))] : clientsThere(around);
  if (clients.length === 0) {
    throw wrong('No client was found.', `Name one: --client ${CLIENT_IDS.join(', --client ')}.`);
  }
  if (scope !== undefined && scope !== 'user' && around.projectDir === undefined) {
    throw wrong(`There is no project for --scope ${scope}.`, 'Run it in a repository, or give --project <dir>.');
  }
  const without = scope === undefined ? [] : clients.filter(({ scopes }) => !scopes.includes(scope));
  const [first] = without;
  if (first !== undefined && (ids.length > 0 || without.length === clients.length)) {
    throw wrong(`${first.title} has no ${scope} scope.`, `It has: ${first.scopes.join(', ')}.`);
  }
  return {
    chosen: clients
      .filter((client) => !without.includes(client))
      .map((client) => ({ client, scope: scope ?? scopeOf(client, around) })),
    notes: without.map(({ title }) => `${title} has no ${scope} scope and is left out.`),
  };
};

export const clientPlaceOf = ({ client, scope }: Chosen, around: Around): ClientPlace => {
  const place = client.places(around).find((one) => one.scope === scope);
  if (place === undefined) throw wrong(`${client.title} has no ${scope} scope here.`, 'Give --project <dir>.');
  return place;
};

/** Colibri's entry: keeps what a person has added to the existing entry, but replaces how Colibri is started. */
const merged = (existing: unknown, entry: JsonObject): JsonObject => {
  if (!isObject(existing)) return entry;
  const { url: _url, headers: _headers, type: _type, ...kept } = existing;
  const env = { ...(kept.env as object | undefined), ...(entry.env as object | undefined) };
  return { ...kept, ...entry, ...(Object.keys(env).length > 0 && { env }) };
};

export const entryEdit = (one: Chosen, launch: Launch, around: Around): PlacedEdit | undefined => {
  const place = clientPlaceOf(one, around);
  const servers = serversIn(place, around);
  const was = Object.hasOwn(servers, OUR_NAME) ? servers[OUR_NAME] : undefined;
  const now = merged(was, one.client.entry(launch));
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
    const was = before === undefined ? undefined : edited(file, () => blockIn(before));
    const after = edited(file, () => withBlock(before, AGENTS_TEXT));
    const inverse = { kind: 'block', ...(was !== undefined && { was }) } as const;
    const what = 'what agents read';
    return after === before ? [] : [{ file, what, before, after, mode: modeFor(file, around), inverse }];
  });
};
