// What a verdict has to name as missing in a store that nobody touched, counted from the rows of the store. A verdict that names more, less or
// another count is a false alarm or hides something.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Missing } from '../../src/verify/verdict/finding.js';
import type { Verdict } from '../../src/verify/verdict/verdict.js';
import type { Body } from './ledger-check.js';

interface Seen {
  readonly log_id: string;
  readonly size: number;
  readonly closed_at: string | null;
  readonly signed: number;
  readonly open: number;
  readonly gap: number;
  readonly first: string;
}

/** Calls count as open here if they have no outcome: no process may run. */
const LOGS = `SELECT l.log_id, l.size, l.closed_at,
    (SELECT COALESCE(MAX(c.size), 0) FROM checkpoints c WHERE c.log_id = l.log_id) AS signed,
    (SELECT COUNT(*) FROM actions e WHERE e.log_id = l.log_id AND e.kind = 'call.enter' AND NOT EXISTS
      (SELECT 1 FROM actions x WHERE x.log_id = e.log_id AND x.sequence_no = e.seq AND x.kind = 'call.exit')) AS open,
    (SELECT COALESCE(SUM(json_extract(g.body, '$.count')), 0) FROM actions g
      WHERE g.log_id = l.log_id AND g.kind = 'gap' AND json_extract(g.body, '$.reason') LIKE 'journal of %') AS gap,
    (SELECT body FROM actions a WHERE a.log_id = l.log_id AND a.seq = 0) AS first
  FROM logs l ORDER BY l.no`;

/** The logs of a store as they are; `tail` is how many records come after the newest signature. */
const logsIn = (path: string) => {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const logs = db.prepare<[], Seen>(LOGS).all();
    return logs.map((log) => ({ ...log, tail: log.size - log.signed, first: JSON.parse(log.first) as Body }));
  } finally {
    db.close();
  }
};

type StoreLog = ReturnType<typeof logsIn>[number];
type Cause = Pick<Missing, 'kind' | 'count'>;

/** Where the one who verifies has keys and heads. */
export interface Custody {
  readonly keysDir: string | undefined;
  readonly headsDir: string;
}

const hasKey = (log: string, { keysDir }: Custody): boolean => keysDir !== undefined && existsSync(join(keysDir, log));

const hasHead = (log: string, { headsDir }: Custody): boolean => {
  const folder = join(headsDir, log);
  return existsSync(folder) && readdirSync(folder).some((name) => /^\d+$/.test(name));
};

const causesOf = (log: StoreLog, custody: Custody): Cause[] => {
  const { log_id, tail, open, gap, closed_at, first } = log;
  const isDoubtful = tail > 0 && closed_at === null && !hasKey(log_id, custody);
  const lost = first.known_size - first.size;
  return [
    ...(first.kind === 'restore' ? [{ kind: 'restore', ...(lost > 0 && { count: lost }) } as const] : []),
    ...(first.kind === 'succeeds' ? [{ kind: 'lost key' } as const] : []),
    ...(open > 0 ? [{ kind: 'open calls', count: open } as const] : []),
    // A journal that outlived the records of its process, because a backup was put back.
    ...(gap > 0 ? [{ kind: 'gap', count: gap } as const] : []),
    ...(hasHead(log_id, custody) ? [] : [{ kind: 'no head' } as const]),
    ...(isDoubtful ? [{ kind: 'unsigned', count: tail } as const] : []),
  ];
};

const textOf = ({ kind, count }: Cause): string => (count === undefined ? kind : `${kind} ${count}`);

/** What is wrong with a verdict about a store in which no process runs and no key was rotated; empty if nothing is. */
export const falseAlarms = (
  path: string,
  custody: Custody,
  { exit, findings, missing, unsigned }: Verdict,
): string[] => {
  const logs = logsIn(path);
  const causes = logs.flatMap((log) => causesOf(log, custody)).map(textOf);
  const told = missing.map(textOf);
  const tails = logs.map(({ log_id, tail, closed_at }) => {
    const authentic = closed_at === null && hasKey(log_id, custody) ? true : null;
    return JSON.stringify({ log: log_id, records: tail, authentic });
  });
  const wanted = causes.length === 0 ? 0 : 10;
  return [
    ...findings.map((finding) => JSON.stringify(finding)),
    ...(exit === wanted ? [] : [`exit ${exit}, not ${wanted}`]),
    ...unlike('missing', told, causes),
    ...unlike(
      'unsigned',
      unsigned.map(({ log, records, authentic }) => JSON.stringify({ log, records, authentic })),
      tails,
    ),
  ];
};

const unlike = (what: string, told: readonly string[], wanted: readonly string[]): string[] => {
  const [a, b] = [told, wanted].map((list) => list.toSorted().join('; '));
  return a === b ? [] : [`${what}: told ${a || 'nothing'}, counted ${b || 'nothing'}`];
};

/** The tails that no signature covers: how many, and how many records they have. */
export const tailsIn = (path: string): { readonly tails: number; readonly records: number } => {
  const tails = logsIn(path).filter(({ tail }) => tail > 0);
  return { tails: tails.length, records: tails.reduce((sum, { tail }) => sum + tail, 0) };
};
