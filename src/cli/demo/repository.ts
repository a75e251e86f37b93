// The SQL of the demo: reads its store without Colibri's own reading code, so that the counts are independent.
import { openSqliteStore } from '../../store/sqlite/open.js';
import type { ReadTx } from '../../store/store.js';

/** Reads a store that no `colibri serve` has open. */
export const lookIntoDemo = async <T>(path: string, look: (tx: ReadTx) => Promise<T>): Promise<T> => {
  const store = await openSqliteStore({ path, readOnly: true, logger: { warn: () => {} } });
  return store.read(look).finally(() => store.close());
};

export interface Counts {
  readonly records: number;
  readonly intents: number;
  readonly outcomes: number;
  /** The kind of the last record in the store. */
  readonly last: string;
}

export const countDemoRecords = async (tx: ReadTx): Promise<Counts> => {
  const kinds = await tx.all<{ kind: string; n: number }>('SELECT kind, COUNT(*) AS n FROM actions GROUP BY kind');
  const of = (kind: string): number => kinds.find((row) => row.kind === kind)?.n ?? 0;
  const last = await tx.get<{ kind: string }>('SELECT kind FROM actions ORDER BY id DESC LIMIT 1');
  return {
    records: kinds.reduce((sum, { n }) => sum + n, 0),
    intents: of('call.enter'),
    outcomes: of('call.exit'),
    last: last?.kind ?? '',
  };
};

/** The health states that were recorded for an MCP server, in order. */
export const transitionsOf = async (tx: ReadTx, server: string): Promise<string[]> => {
  const rows = await tx.all<{ body: string }>("SELECT body FROM actions WHERE kind = 'health' ORDER BY id");
  return rows
    .map(({ body }) => JSON.parse(body) as { server: string; to: string | null })
    .filter((record) => record.server === server)
    .map(({ to }) => to ?? 'none');
};

export const thoughtContent = async (tx: ReadTx, thought: string): Promise<string | null> =>
  (await tx.get<{ content: string | null }>('SELECT content FROM thoughts WHERE thought_id = ?', thought))?.content ??
  null;
