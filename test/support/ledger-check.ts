// Checks a ledger from outside: reads the SQLite file as it is and recomputes everything the plain way. Shares no
// code with what it checks, and knows the format only from its description.
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { expect } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: records are looked at field by field, each test at other ones
export type Body = Record<string, any>;

export interface Entry {
  readonly log: string;
  readonly seq: number;
  readonly kind: string;
  readonly leaf: string;
  readonly body: Body;
  readonly payload: { readonly salt: string; readonly json: string | null } | undefined;
}

export interface LogRow {
  readonly no: number;
  readonly log_id: string;
  readonly node: string;
  readonly public_key: string;
  readonly size: number;
  readonly frontier: string;
  readonly closed_at: string | null;
}

export interface Findings {
  readonly problems: readonly string[];
  readonly logs: readonly LogRow[];
  /** By log in the order they were opened, then by seq. */
  readonly records: readonly Entry[];
}

interface ActionRow {
  readonly id: number;
  readonly log_id: string;
  readonly seq: number;
  readonly sequence_no: number | null;
  readonly kind: string;
  readonly tool: string | null;
  readonly at: string;
  readonly body: string;
  readonly leaf: string;
}

interface PayloadRow {
  readonly log_id: string;
  readonly seq: number;
  readonly salt: string;
  readonly json: string | null;
}

interface TileRow {
  readonly log_id: string;
  readonly level: number;
  readonly idx: number;
  readonly hash: string;
}

type Say = (problem: string) => void;

export const sha256 = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** RFC 8785 §3.2: keys by UTF-16 code units, numbers and strings as ECMAScript writes them. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
};

const inner = (left: string, right: string): string => sha256(Buffer.from(`01${left}${right}`, 'hex'));

/** RFC 6962 §2.1, word for word. */
export const rootOf = (leaves: readonly string[]): string => {
  if (leaves.length <= 1) return leaves[0] ?? sha256('');
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return inner(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
};

const foldedRoot = (frontier: string): string => {
  const hashes = frontier.match(/[0-9a-f]{64}/g) ?? [];
  return hashes.length === 0 ? sha256('') : hashes.reduceRight((right, left) => inner(left, right));
};

const checkRow = (row: ActionRow, seq: number, say: Say): Body => {
  const where = `${row.log_id} ${row.seq}`;
  if (row.seq !== seq) say(`${where}: seq ${seq} expected`);
  const body = JSON.parse(row.body) as Body;
  if (canonical(body) !== row.body) say(`${where}: body is not canonical`);
  if (sha256(Buffer.from([0]), row.body) !== row.leaf) say(`${where}: leaf is not the hash of the body`);
  if (Buffer.byteLength(row.body) > 65_535) say(`${where}: body is too long`);
  if (body.v !== 1) say(`${where}: version is ${body.v}`);
  const said = [body.log, body.seq, body.sequence_no ?? null, body.kind, body.tool ?? null, body.at];
  const kept = [row.log_id, row.seq, row.sequence_no, row.kind, row.tool, row.at];
  if (canonical(said) !== canonical(kept)) say(`${where}: columns differ from the body`);
  return body;
};

const checkTree = ({ log_id, size, frontier }: LogRow, leaves: readonly string[], tiles: TileRow[], say: Say): void => {
  if (size !== leaves.length) say(`${log_id}: size is ${size}, there are ${leaves.length} records`);
  if (foldedRoot(frontier) !== rootOf(leaves)) say(`${log_id}: the frontier has another root than the records`);
  const kept = new Map(tiles.map((tile) => [`${tile.level}/${tile.idx}`, tile.hash]));
  let complete = 0;
  for (let level = 8; 2 ** level <= leaves.length; level++) {
    for (let idx = 0; (idx + 1) * 2 ** level <= leaves.length; idx++) {
      complete += 1;
      const right = rootOf(leaves.slice(idx * 2 ** level, (idx + 1) * 2 ** level));
      const stored = kept.get(`${level}/${idx}`);
      if (stored !== right) say(`${log_id}: tile ${level}/${idx} is ${stored === undefined ? 'missing' : 'wrong'}`);
    }
  }
  if (kept.size !== complete) say(`${log_id}: ${kept.size} tiles, ${complete} complete nodes`);
};

const checkPairs = (records: readonly Entry[], say: Say): void => {
  const open = new Map<number, Body>();
  const closed = new Set<number>();
  for (const { log, seq, kind, body } of records) {
    if (kind === 'call.enter') {
      if (body.sequence_no !== seq) say(`${log} ${seq}: the number of a call is the seq of its intent`);
      open.set(seq, body);
    }
    if (kind !== 'call.exit') continue;
    const enter = open.get(body.sequence_no);
    if (closed.has(body.sequence_no)) say(`${log} ${seq}: a second outcome of call ${body.sequence_no}`);
    else if (enter === undefined) say(`${log} ${seq}: an outcome before its intent`);
    else if (enter.call !== body.call || enter.tool !== body.tool) say(`${log} ${seq}: an outcome of another call`);
    closed.add(body.sequence_no);
  }
};

/** Whether a record says that the payload of a call was taken out, by name or by place. */
const takenOut = (records: readonly Entry[]): ((log: string, seq: number) => boolean) => {
  const targets = records.filter(({ kind }) => kind === 'erase').flatMap(({ body }) => body.targets as Body[]);
  const erased = new Set(targets.filter(({ type }) => type === 'payload').map(({ id }) => id));
  const pruned = records.filter(({ kind }) => kind === 'prune').map(({ body }) => body);
  const isPruned = (log: string, seq: number) =>
    pruned.some((body) => (body.of ?? body.log) === log && body.from_seq <= seq && seq <= body.to_seq);
  return (log, seq) => erased.has(`${log}/${seq}`) || isPruned(log, seq);
};

const checkPayload = ({ log, seq, kind, body, payload }: Entry, isTakenOut: boolean, say: Say): void => {
  const where = `${log} ${seq}`;
  const hasTexts = kind === 'health' || kind === 'call.exit';
  const [args, args_digest, args_bytes] = hasTexts
    ? [body.texts, body.texts_digest, body.texts_bytes]
    : [body.args, body.args_digest, body.args_bytes];
  const wanted = (hasTexts || kind === 'call.enter') && (args === 'stored' || args === 'digest');
  // An approval has the digest of arguments that stand in its row.
  if (kind !== 'approval' && wanted !== (typeof args_digest === 'string')) say(`${where}: digest and args disagree`);
  if (isTakenOut && payload !== undefined) say(`${where}: payload was taken out and is there`);
  if (payload === undefined && wanted && !isTakenOut) say(`${where}: payload missing`);
  if (payload !== undefined && !wanted) say(`${where}: payload without a reason`);
  if (payload === undefined || !wanted) return;
  if (!/^[0-9a-f]{32}$/.test(payload.salt)) say(`${where}: the salt is no 16 bytes in hex`);
  if ((payload.json === null) !== (args === 'digest')) say(`${where}: payload text and args disagree`);
  if (payload.json === null) return;
  if (canonical(JSON.parse(payload.json)) !== payload.json) say(`${where}: payload is not canonical`);
  if (Buffer.byteLength(payload.json) !== args_bytes) say(`${where}: args_bytes is wrong`);
  const digest = sha256(Buffer.from(payload.salt, 'hex'), payload.json);
  if (digest !== args_digest) say(`${where}: args_digest is not that of the payload`);
};

/** Reads everything once, after the processes have ended. */
export const inspectLedger = (path: string): Findings => {
  const problems: string[] = [];
  const say: Say = (problem) => void problems.push(problem);
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const integrity = db.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') say(`integrity_check: ${integrity}`);
    // One snapshot: a process may be writing.
    db.exec('BEGIN');
    const all = <T>(sql: string, ...params: string[]): T[] => db.prepare<string[], T>(sql).all(...params);
    const logs = all<LogRow>('SELECT * FROM logs ORDER BY opened_at, rowid');
    const strays = all('SELECT 1 FROM actions WHERE log_id NOT IN (SELECT log_id FROM logs)');
    if (strays.length > 0) say(`${strays.length} records of no log`);
    const payloads = all<PayloadRow>('SELECT * FROM payloads');
    const payloadAt = new Map(payloads.map((row) => [`${row.log_id} ${row.seq}`, row]));
    const records = logs.flatMap((log) => {
      const rows = all<ActionRow>('SELECT * FROM actions WHERE log_id = ? ORDER BY seq', log.log_id);
      const entries = rows.map((row, seq): Entry => {
        const body = checkRow(row, seq, say);
        if (row.id !== log.no * 2 ** 32 + row.seq) say(`${row.log_id} ${row.seq}: stands at another place`);
        const { log_id, kind, leaf } = row;
        return { log: log_id, seq: row.seq, kind, leaf, body, payload: payloadAt.get(`${log_id} ${row.seq}`) };
      });
      const tiles = all<TileRow>('SELECT * FROM tiles WHERE log_id = ?', log.log_id);
      checkTree(
        log,
        rows.map(({ leaf }) => leaf),
        tiles,
        say,
      );
      checkPairs(entries, say);
      if (sha256(Buffer.from(log.public_key, 'hex')).slice(0, 32) !== log.log_id)
        say(`${log.log_id}: not its key's name`);
      return entries;
    });
    const isGone = takenOut(records);
    for (const entry of records) checkPayload(entry, isGone(entry.log, entry.seq), say);
    const matched = records.filter(({ payload }) => payload !== undefined).length;
    if (matched !== payloads.length) say(`${payloads.length - matched} payloads of no record`);
    return { problems, logs, records };
  } finally {
    db.close();
  }
};

export interface Pair {
  readonly log: string;
  readonly enter: Entry;
  readonly exit: Entry | undefined;
}

export interface Receipt {
  readonly log: string;
  readonly seq: number;
  readonly leaf: string;
  readonly call: string;
  readonly salt: string;
}

export const RECEIPT = 'dev.colibri/receipt';

/** The receipt of an answer on the wire, wherever it stands. */
export const receiptOf = (answer: Body): Receipt | undefined =>
  answer.result?._meta?.[RECEIPT] ?? answer._meta?.[RECEIPT] ?? answer.error?.data?.[RECEIPT] ?? answer.data?.[RECEIPT];

/** A ledger that must be sound, with the questions tests ask of it. */
export class Ledger {
  readonly logs: readonly LogRow[];
  readonly records: readonly Entry[];
  readonly #byPlace: ReadonlyMap<string, Entry>;

  constructor(path: string) {
    const { problems, logs, records } = inspectLedger(path);
    expect(problems).toEqual([]);
    this.logs = logs;
    this.records = records;
    this.#byPlace = new Map(records.map((entry) => [`${entry.log} ${entry.seq}`, entry]));
  }

  ofKind(kind: string): readonly Body[] {
    return this.records.filter((entry) => entry.kind === kind).map(({ body }) => body);
  }

  /** Every call in the order of its intent. */
  get pairs(): readonly Pair[] {
    const exits = new Map(
      this.records
        .filter(({ kind }) => kind === 'call.exit')
        .map((exit) => [`${exit.log} ${exit.body.sequence_no}`, exit]),
    );
    return this.records
      .filter(({ kind }) => kind === 'call.enter')
      .map((enter) => ({ log: enter.log, enter, exit: exits.get(`${enter.log} ${enter.seq}`) }));
  }

  /** `tool outcome code` of every call, in order. */
  get calls(): readonly string[] {
    return this.pairs.map(({ enter, exit }) =>
      [enter.body.tool, exit?.body.outcome ?? 'open', exit?.body.code].filter((part) => part !== undefined).join(' '),
    );
  }

  /** The pair a receipt speaks of; fails where the ledger says something else. */
  pairOf(receipt: Receipt | undefined): Pair {
    if (receipt === undefined) throw new Error('no receipt');
    const exit = this.#byPlace.get(`${receipt.log} ${receipt.seq}`);
    expect(exit).toMatchObject({ kind: 'call.exit', leaf: receipt.leaf, body: { call: receipt.call } });
    const enter = this.#byPlace.get(`${receipt.log} ${exit?.body.sequence_no}`);
    if (enter === undefined || exit === undefined) throw new Error('no such pair');
    return { log: receipt.log, enter, exit };
  }

  /** The boot record of a process. */
  bootOf(pid: number): Body {
    const boot = this.ofKind('boot').find((body) => body.pid === pid);
    if (boot === undefined) throw new Error(`no boot of process ${pid}`);
    return boot;
  }
}
