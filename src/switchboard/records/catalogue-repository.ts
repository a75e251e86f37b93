// Stores the tools that servers listed last, so that `tools/list` can be answered before any server is connected. Each change of a row is
// recorded in the ledger: the `catalogue` record of the last change names the row with its revision and digest.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { quietly } from '../../errors.js';
import { type EvidenceRow, rowSalt, subjectOf } from '../../ledger/evidence.js';
import { readSize } from '../../ledger/head.js';
import { append } from '../../ledger/ledger.js';
import type { OwnLog } from '../../ledger/own-log.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { CatalogueRecord } from '../../proof/switchboard-records.js';
import { asName } from '../../redact/redact.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { type DefinitionText, digestedText } from '../definition.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { DeclaredTool } from '../link/link.js';
import { type CatalogueKey, catalogueId } from './catalogue-key.js';
import { nameList } from './config.js';
import { insertDefinitions } from './definition-repository.js';

export interface Recorder {
  readonly log: OwnLog;
  readonly instance: string;
  readonly at: string;
}

type Row = {
  readonly tools: string;
  readonly digest: string;
  readonly read_at: string;
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

const ROW = `SELECT tools, digest, read_at, rev, salt, log_id, seq FROM catalogue
  WHERE connection = ? AND client = ? AND server = ?`;
const RECORD = "SELECT body FROM actions WHERE log_id = ? AND seq = ? AND kind = 'catalogue'";

const rowOf = (tx: Pick<ReadTx, 'get'>, { connection, client, server }: CatalogueKey): Promise<Row | undefined> =>
  tx.get<Row>(ROW, connection, client, server);

/** The tools in a row of the catalogue; none if the row is damaged, which `colibri verify` reports. */
const toolsIn = (text: string): readonly DeclaredTool[] => {
  const tools: unknown = quietly(() => JSON.parse(text));
  return Array.isArray(tools) ? (tools as DeclaredTool[]) : [];
};

const catalogueRow = (
  { server, connection, client }: CatalogueKey,
  { digest, read_at, rev, salt }: Pick<Row, 'digest' | 'read_at' | 'rev' | 'salt'>,
): EvidenceRow => {
  const columns = { server, connection, client, digest, read_at };
  return { type: 'catalogue', id: catalogueId({ server, connection, client }), rev, salt, columns };
};

/** Whether the record that a row of the catalogue points to names the row with this digest. If not, somebody may have edited the row. */
const isRecorded = async (tx: Pick<ReadTx, 'get'>, key: CatalogueKey, row: Row): Promise<boolean> => {
  if (createHash('sha256').update(row.tools).digest('hex') !== row.digest) return false;
  const found = await tx.get<{ readonly body: string }>(RECORD, row.log_id, row.seq);
  if (found === undefined) return false;
  const should = subjectOf(catalogueRow(key, row));
  const { subjects } = JSON.parse(found.body) as { readonly subjects?: unknown };
  return Array.isArray(subjects) && subjects.some((subject) => isDeepStrictEqual(subject, should));
};

/** The tools that a server listed last; undefined if the row or its record is not as Colibri wrote it, which `colibri verify` reports. */
export const rememberedTools = async (tx: ReadTx, key: CatalogueKey): Promise<readonly DeclaredTool[] | undefined> => {
  const row = await rowOf(tx, key);
  if (row === undefined) return undefined;
  const isOurs = await isRecorded(tx, key, row).catch(() => false);
  return isOurs ? toolsIn(row.tools) : undefined;
};

const CLIENTS = 'SELECT client FROM catalogue WHERE connection = ? AND server = ? ORDER BY read_at DESC, client';

/**
 * The tools that a server listed last for a client with other capabilities, the latest list first; undefined if there is none. They may
 * differ from what this client gets, but that is better than no tools.
 */
export const rememberedForOthers = async (
  tx: ReadTx,
  key: CatalogueKey,
): Promise<readonly DeclaredTool[] | undefined> => {
  const rows = await tx.all<{ readonly client: string }>(CLIENTS, key.connection, key.server);
  for (const { client } of rows) {
    const tools = client === key.client ? undefined : await rememberedTools(tx, { ...key, client });
    if (tools !== undefined) return tools;
  }
  return undefined;
};

const OF_ALL = 'SELECT tools FROM catalogue WHERE connection = ? AND server = ? ORDER BY read_at, client';

/** The tools that a server listed last for any client, the oldest list first. */
export const listedByAll = async (
  tx: ReadTx,
  { connection, server }: Omit<CatalogueKey, 'client'>,
): Promise<readonly DeclaredTool[]> => {
  const rows = await tx.all<{ readonly tools: string }>(OF_ALL, connection, server);
  return rows.flatMap(({ tools }) => toolsIn(tools));
};

/** The RFC 8785 text of each tool by name, sorted by name, so that the order in which the server lists its tools does not matter. */
const byName = (tools: readonly DeclaredTool[]): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>();
  for (const tool of tools) {
    quietly(() => texts.set(String(tool.name), canonicalJson(tool))); // a tool without RFC 8785 text is never listed either
  }
  return new Map([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** A tool that differs between two lists: the whole object that the server sent, before and after. */
interface ToolChange {
  readonly tool: string;
  readonly before: DefinitionText | undefined;
  readonly after: DefinitionText | undefined;
}

const changesBetween = (old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly ToolChange[] => {
  const made = (text: string | undefined) => (text === undefined ? undefined : digestedText(text));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((tool) => old.get(tool) !== now.get(tool))
    .sort()
    .map((tool) => ({ tool, before: made(old.get(tool)), after: made(now.get(tool)) }));
};

/** The digests of changed tools for a record; if they would fill the record, their number and a digest of the list. */
const digestList = (changes: readonly ToolChange[]): NonNullable<CatalogueRecord['digests']> => {
  const list = changes.map(({ tool, before, after }) => ({
    tool: asName(tool),
    ...(before && { before: before.digest }),
    ...(after && { after: after.digest }),
  }));
  const { text, digest } = digestedText(canonicalJson(list));
  return Buffer.byteLength(text) <= SWITCHBOARD_LIMITS.recordListBytes ? list : { count: list.length, digest };
};

const WRITE = `INSERT INTO catalogue (connection, client, server, tools, digest, read_at, rev, salt, log_id, seq)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (connection, client, server) DO UPDATE SET tools = excluded.tools, digest = excluded.digest,
  read_at = excluded.read_at, rev = excluded.rev, salt = excluded.salt, log_id = excluded.log_id, seq = excluded.seq`;

/**
 * Stores a server's tools and records what changed, in one transaction. Several Colibri processes may use the same server: a process
 * that finds the same tools in the store writes nothing. Returns whether anything was written.
 */
export const rememberTools = async (
  tx: Tx,
  key: CatalogueKey,
  tools: readonly DeclaredTool[],
  { log, instance, at }: Recorder,
): Promise<boolean> => {
  const now = byName(tools);
  const text = `[${[...now.values()].join(',')}]`;
  const digest = createHash('sha256').update(text).digest('hex');
  const before = await rowOf(tx, key);
  if (before?.digest === digest || Buffer.byteLength(text) > SWITCHBOARD_LIMITS.catalogueBytes) return false;
  const row = { digest, read_at: at, rev: (before?.rev ?? 0) + 1, salt: rowSalt() };
  const { connection, client, server } = key;
  const old = before === undefined ? undefined : byName(toolsIn(before.tools));
  const changes = changesBetween(old ?? new Map(), now);
  // The first list is not stored a second time; it stands in the catalogue.
  const definitions = old === undefined || changes.length > SWITCHBOARD_LIMITS.changedDefinitions ? [] : changes;
  const kept = await insertDefinitions(
    tx,
    definitions.flatMap(({ before, after }) => [before ?? [], after ?? []].flat()),
    { log },
  );
  const seq = await readSize(tx, log.id);
  await tx.run(WRITE, connection, client, server, text, digest, at, row.rev, row.salt, log.id, seq);
  const named = (isOf: (one: ToolChange) => boolean) => nameList(changes.filter(isOf).map(({ tool }) => tool));
  const lists = {
    added: named((one) => one.before === undefined),
    removed: named((one) => one.after === undefined),
    changed: named((one) => one.before !== undefined && one.after !== undefined),
  };
  const subjects = [subjectOf(catalogueRow(key, row)), ...kept];
  const digests = digestList(changes);
  const record = { kind: 'catalogue', instance, server: asName(server), digest, ...lists, digests, subjects } as const;
  await append(tx, log, [{ at, record }]);
  return true;
};
