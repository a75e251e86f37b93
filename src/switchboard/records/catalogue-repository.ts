// Stores the tools that servers listed last, so that `tools/list` can be answered before any server is connected. Rows are
// evidence: the `catalogue` record that last changed a row names it with its revision and digest.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type EvidenceRow, rowSalt, subjectOf } from '../../ledger/evidence.js';
import { append, readSize } from '../../ledger/ledger.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { asName } from '../../redact/as-name.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { DeclaredTool } from '../link/link.js';
import { type CatalogueKey, catalogueId } from './catalogue-key.js';
import { nameList } from './lists.js';

export interface Recorder {
  readonly log: string;
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

const toolsIn = (text: string): readonly DeclaredTool[] => {
  try {
    const tools: unknown = JSON.parse(text);
    return Array.isArray(tools) ? (tools as DeclaredTool[]) : [];
  } catch {
    return []; // the row is damaged; `colibri verify` reports it
  }
};

/** Whether the record that a row of the catalogue points to names the row with this digest. If not, somebody may have edited the row. */
const isRecorded = async (tx: Pick<ReadTx, 'get'>, key: CatalogueKey, row: Row): Promise<boolean> => {
  const { tools, digest, read_at, rev, salt, log_id: log, seq } = row;
  if (createHash('sha256').update(tools).digest('hex') !== digest) return false;
  const found = await tx.get<{ readonly body: string }>(RECORD, log, seq);
  if (found === undefined) return false;
  const { server, connection, client } = key;
  const columns = { server, connection, client, digest, read_at };
  const should = subjectOf({ type: 'catalogue', id: catalogueId(key), rev, salt, columns });
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

const textOf = (tool: DeclaredTool): string | undefined => {
  try {
    return canonicalJson(tool);
  } catch {
    return undefined; // a tool without RFC 8785 text is never listed either
  }
};

const byName = (tools: readonly DeclaredTool[]): ReadonlyMap<string, string> =>
  new Map(
    tools.flatMap((tool) => {
      const text = textOf(tool);
      return text === undefined ? [] : [[String(tool.name), text] as const];
    }),
  );

/** The tools as RFC 8785 text, sorted by name, so that the order in which the server lists them does not matter. */
const catalogueText = (tools: readonly DeclaredTool[]): string => {
  const texts = byName(tools);
  return `[${[...texts.keys()]
    .sort()
    .map((tool) => texts.get(tool))
    .join(',')}]`;
};

/** The names of the tools that a new tool list adds, removes and changes. */
const catalogueDiff = (before: readonly DeclaredTool[], after: readonly DeclaredTool[]) => {
  const [old, now] = [byName(before), byName(after)];
  return {
    added: [...now.keys()].filter((tool) => !old.has(tool)).sort(),
    removed: [...old.keys()].filter((tool) => !now.has(tool)).sort(),
    changed: [...now.keys()].filter((tool) => old.has(tool) && old.get(tool) !== now.get(tool)).sort(),
  };
};

const writeRow = async (tx: Tx, key: CatalogueKey, row: EvidenceRow, tools: string, seq: number): Promise<void> => {
  const { digest, read_at, log } = row.columns as { digest: string; read_at: string; log: string };
  const values = [tools, digest, read_at, row.rev, row.salt, log, seq];
  const place = [key.connection, key.client, key.server];
  if (row.rev > 1) {
    const set = 'UPDATE catalogue SET tools = ?, digest = ?, read_at = ?, rev = ?, salt = ?, log_id = ?, seq = ?';
    await tx.run(`${set} WHERE connection = ? AND client = ? AND server = ?`, ...values, ...place);
    return;
  }
  await tx.run(
    `INSERT INTO catalogue (tools, digest, read_at, rev, salt, log_id, seq, connection, client, server)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...values,
    ...place,
  );
};

/**
 * Stores the tools and records what changed, in one transaction. Several processes may use the same server: a process that
 * finds the same tools in the store writes nothing. Returns whether anything was written.
 */
export const rememberTools = async (
  tx: Tx,
  key: CatalogueKey,
  tools: readonly DeclaredTool[],
  { log, instance, at }: Recorder,
): Promise<boolean> => {
  const text = catalogueText(tools);
  const digest = createHash('sha256').update(text).digest('hex');
  const before = await rowOf(tx, key);
  if (before?.digest === digest || Buffer.byteLength(text) > SWITCHBOARD_LIMITS.catalogueBytes) return false;
  const rev = (before?.rev ?? 0) + 1;
  const columns = { ...key, digest, read_at: at };
  const row: EvidenceRow = { type: 'catalogue', id: catalogueId(key), rev, salt: rowSalt(), columns };
  const seq = await readSize(tx, log);
  await writeRow(tx, key, { ...row, columns: { ...columns, log } }, text, seq);
  const { added, removed, changed } = catalogueDiff(before ? toolsIn(before.tools) : [], tools);
  const lists = { added: nameList(added), removed: nameList(removed), changed: nameList(changed) };
  const record = { kind: 'catalogue', instance, server: asName(key.server), digest, ...lists } as const;
  await append(tx, log, [{ at, record: { ...record, subjects: [subjectOf(row)] } }]);
  return true;
};
