// Calls the tools of a served process and says how each call ended, and reads and changes its database from outside.
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { type AnyClient, type Environment, type Peer, type Place, serve } from './serve.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, each test at other ones
export type Answer = Record<string, any>;

/** The tools of one process, whoever speaks to it. */
export interface Tools {
  /** The whole structuredContent. */
  call(tool: string, args?: Answer): Promise<Answer>;
  /** `data` of a call that must succeed. */
  ok(tool: string, args?: Answer): Promise<Answer>;
  /** The error of a call that must be refused, wherever it stands. */
  no(tool: string, args?: Answer): Promise<Answer>;
}

/** The error in an answer: of the tool (inside data), or of the call. */
export const errorIn = (answer: Answer): Answer | undefined =>
  answer.ok === false ? answer.error : answer.data?.ok === false ? answer.data.error : undefined;

/** The domain code: in pattern A it begins the message. */
export const codeOf = ({ code, message }: Answer): string =>
  code === 'HANDLER_ERROR' ? (/^([A-Z_]+): /.exec(message)?.[1] ?? code) : code;

const tools = (call: Tools['call']): Tools => ({
  call,
  ok: async (tool, args) => {
    const answer = await call(tool, args);
    expect(errorIn(answer), `${tool} ${JSON.stringify(args)?.slice(0, 300)}`).toBeUndefined();
    return answer.data;
  },
  no: async (tool, args) => {
    const error = errorIn(await call(tool, args));
    if (error === undefined) throw new Error(`${tool} ${JSON.stringify(args)?.slice(0, 300)} was not refused`);
    return error;
  },
});

export const toolsOf = (client: AnyClient): Tools =>
  tools(async (tool, args = {}) => {
    const result = await client.callTool(tool, args);
    expect(result.content[0].text.length).toBeGreaterThan(0);
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    return result.structuredContent;
  });

export interface Started extends Tools {
  readonly peer: Peer;
}

/** A process with an open store. */
export const started = async (place: Place, client = 'raw', env: Environment = {}): Promise<Started> => {
  const peer = serve(place, { env });
  await peer.initialize(client);
  await peer.phase2();
  return { peer, ...tools(async (tool, args = {}) => (await peer.call(tool, args, 30_000)).result.structuredContent) };
};

/** Reads the database as it is. */
export const rowsOf = (path: string, sql: string, ...params: (string | number)[]): Answer[] => {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<(string | number)[], Answer>(sql).all(...params);
  } finally {
    db.close();
  }
};

/** Writes into it from outside. */
export const change = (path: string, sql: string, ...params: string[]): void => {
  const db = new Database(path, { fileMustExist: true, timeout: 5_000 });
  db.prepare(sql).run(...params);
  db.close();
};

export const bytesOf = (answer: unknown): number => Buffer.byteLength(JSON.stringify(answer));

/** Every row of a list, page by page. */
export const allPages = async (tools: Tools, args: Answer): Promise<Answer[]> => {
  const rows: Answer[] = [];
  let cursor: string | undefined;
  do {
    const answer = await tools.call('thought_record_list', { proof: true, ...args, ...(cursor && { cursor }) });
    expect(errorIn(answer)).toBeUndefined();
    expect(bytesOf(answer)).toBeLessThanOrEqual(24 * 1024);
    rows.push(...answer.data.thoughts);
    cursor = answer.data.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
};
