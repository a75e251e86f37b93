// A connection to PostgreSQL that is cut at one statement after another of every writing tool: the calls, where each is cut, and what may be
// found afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import { receiptOf } from '../support/ledger-check.js';
import { CUTS, type Cut, type PostgresProxy } from '../support/postgres-proxy.js';
import type { Message, Peer } from '../support/serve.js';

type Data = Message;

/** A writing call with arguments of its own, and what it must have done exactly once. */
export interface WritingCall {
  readonly tool: string;
  readonly args: Data;
  /** Counts, in a copy of the store, what the call did. */
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** Makes the next call of a tool: everything that it needs is made before, through `ok`. */
type Prepare = (mark: string, ok: (tool: string, args: Data) => Promise<Data>) => Promise<WritingCall>;

const number = (task: string): number => Number(task.slice(2));

const newTask: Prepare = async (mark) => ({
  tool: 'task_create',
  args: { title: mark, claim_by: mark },
  sql: 'SELECT count(*) FROM tasks WHERE title = ?',
  params: [mark],
});

/** Several steps with a note: the task, its lease, a thought and its session in one call. */
const step: Prepare = async (mark, ok) => {
  const { task_id } = await ok('task_create', { title: `to change ${mark}` });
  return {
    tool: 'task_update',
    args: { task_id, steps: [{ status: 'GATHER', note: mark }, { status: 'ANALYZE' }] },
    sql: `SELECT count(*) FROM tasks WHERE n = ? AND status = 'ANALYZE' AND version = 2`,
    params: [number(task_id)],
  };
};

const claim: Prepare = async (mark, ok) => {
  const { task_id } = await ok('task_create', { title: `to claim ${mark}` });
  return {
    tool: 'task_next_actions',
    args: { claim_by: mark, task_id },
    sql: `SELECT count(*) FROM leases WHERE holder = ?`,
    params: [mark],
  };
};

/** Whatever is next in the queue, so that rows are looked for and locked. */
const claimNext: Prepare = async (mark, ok) => {
  await ok('task_create', { title: `next ${mark}`, priority: 'urgent' });
  return {
    tool: 'task_next_actions',
    args: { claim_by: mark },
    sql: 'SELECT count(*) FROM leases WHERE holder = ?',
    params: [mark],
  };
};

const openSession: Prepare = async (mark) => ({
  tool: 'audit_session_start',
  args: { intent: mark, session_id: mark },
  sql: 'SELECT count(*) FROM sessions WHERE session_id = ? AND finalized_at IS NULL',
  params: [mark],
});

const think: Prepare = async (mark, ok) => {
  await ok('audit_session_start', { intent: 'to think', session_id: mark });
  return {
    tool: 'thought_record',
    args: { type: 'decision', content: mark, session_id: mark },
    sql: 'SELECT count(*) FROM thoughts WHERE session_id = ?',
    params: [mark],
  };
};

const seal: Prepare = async (mark, ok) => {
  await ok('audit_session_start', { intent: 'to seal', session_id: mark });
  await ok('thought_record', { type: 'decision', content: mark, session_id: mark });
  return {
    tool: 'merkle_finalize',
    args: { session_id: mark },
    sql: `SELECT count(*) FROM actions WHERE kind = 'seal' AND json_extract(body, '$.session_id') = ?`,
    params: [mark],
  };
};

/** Writes nothing but its records. */
const ping: Prepare = async (mark) => ({
  tool: 'server_ping',
  args: { mark },
  sql: 'SELECT count(*) FROM payloads WHERE json LIKE ?',
  params: [`%"${mark}"%`],
});

const propose: Prepare = async (mark) => ({
  tool: 'consensus_propose',
  args: { statement: mark, voters: ['ada', 'bob'] },
  sql: 'SELECT count(*) FROM rounds WHERE proposal LIKE ?',
  params: [`%${mark}%`],
});

const vote: Prepare = async (mark, ok) => {
  const { round_id } = await ok('consensus_propose', { statement: mark, voters: ['ada', 'bob'] });
  return {
    tool: 'consensus_vote',
    args: { round_id, voter: 'ada', vote: 'approve' },
    sql: 'SELECT count(*) FROM votes WHERE round_id = ?',
    params: [round_id],
  };
};

/** A call that leaves nothing but its records, and is answered only with them. */
const recordedOnly = (tool: string, args: Data, mark: string): WritingCall => ({
  tool,
  args,
  sql: `SELECT count(*) FROM actions a JOIN payloads p ON p.log_id = a.log_id AND p.seq = a.sequence_no
    WHERE a.kind = 'call.exit' AND json_extract(a.body, '$.outcome') = 'ok' AND a.tool = ? AND p.json LIKE ?`,
  params: [tool, `%"${mark}"%`],
});

/** Its write is a file on this machine. */
const root: Prepare = async (mark, ok) => {
  await ok('audit_session_start', { intent: 'to prove', session_id: mark });
  await ok('thought_record', { type: 'decision', content: mark, session_id: mark });
  await ok('merkle_finalize', { session_id: mark });
  return recordedOnly('merkle_root', { session_id: mark }, mark);
};

const draw: Prepare = async (mark) => recordedOnly('vrf_eval', { input: mark }, mark);

const level: Prepare = async (mark, ok) => {
  const { round_id } = await ok('consensus_propose', { statement: mark, voters: ['ada', 'bob'] });
  return recordedOnly('consensus_finality', { round_id }, round_id);
};

const FIRST_YEAR_MS = 31_536_000_000;
const tell: Prepare = async () => {
  const since = new Date(Math.floor(Math.random() * FIRST_YEAR_MS)).toISOString();
  return recordedOnly('consensus_gossip', { since }, since);
};

export const WRITING_CALLS: Readonly<Record<string, Prepare>> = {
  'task_create with a claim': newTask,
  'task_update with steps and a note': step,
  'task_next_actions, one task': claim,
  'task_next_actions, the next task': claimNext,
  audit_session_start: openSession,
  thought_record: think,
  merkle_finalize: seal,
  merkle_root: root,
  consensus_propose: propose,
  consensus_vote: vote,
  consensus_finality: level,
  consensus_gossip: tell,
  vrf_eval: draw,
  'server_ping, which is only recorded': ping,
};

/** One call with the connection cut during it. */
export interface CutCall extends WritingCall {
  readonly mark: string;
  readonly cut: Cut;
  /** The statements of the exchange that was cut; undefined if the call had no exchange of that number. */
  readonly at: string | undefined;
  readonly answer: Message;
  readonly ms: number;
}

const STRUGGLE_MS = 30_000;

/** The data of a call that may be refused for a while: the process has just lost its connection. */
const untilOk = async (peer: Peer, tool: string, args: Data): Promise<Data> => {
  const until = Date.now() + STRUGGLE_MS;
  for (;;) {
    const answer = await peer.call(tool, args, STRUGGLE_MS);
    const content = answer.result?.structuredContent;
    if (content?.ok === true && content.data?.ok !== false) return content.data;
    if (Date.now() > until) throw new Error(`${tool} does not recover: ${JSON.stringify(answer)}`);
    await sleep(50);
  }
};

/** The process has its connections again: a ping would be answered without a record until then. */
const untilRecorded = async (peer: Peer): Promise<void> => {
  const until = Date.now() + STRUGGLE_MS;
  while (receiptOf(await peer.call('server_ping')) === undefined) {
    if (Date.now() > until) throw new Error(`nothing is recorded any more\n${peer.stderr}`);
    await sleep(20);
  }
};

const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 90);

/** Makes a call during which the exchange of that number is cut. */
export const cutAt = async (
  { peer, proxy }: { peer: Peer; proxy: PostgresProxy },
  prepare: Prepare,
  { mark, n, cut }: { mark: string; n: number; cut: Cut },
): Promise<CutCall> => {
  const call = await prepare(mark, (tool, args) => untilOk(peer, tool, args));
  await untilRecorded(peer);
  let at: string | undefined;
  let count = 0;
  proxy.rule = ({ texts }) => {
    if (count++ !== n) return 'pass';
    at = texts.map(short).join('; ');
    return cut;
  };
  const begun = performance.now();
  const answer = await peer.call(call.tool, call.args, STRUGGLE_MS);
  proxy.rule = () => 'pass';
  return { ...call, mark, cut, at, answer, ms: performance.now() - begun };
};

/** Cuts a tool's call at every exchange it has, at each of the places, until a call has no exchange of that number any more. */
export const cutEverywhere = async (
  sides: { peer: Peer; proxy: PostgresProxy },
  prepare: Prepare,
): Promise<CutCall[]> => {
  const made: CutCall[] = [];
  for (let n = 0; ; n++) {
    const here: CutCall[] = [];
    for (const cut of CUTS) here.push(await cutAt(sides, prepare, { mark: crypto.randomUUID(), n, cut }));
    made.push(...here);
    if (here.every(({ at }) => at === undefined)) return made;
  }
};
