// A team: four nodes with four processes each on one PostgreSQL server, two of the nodes with the same names of machine and user. They claim all
// tasks there are while connections are cut at random and the server dies twice.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { noPostgres } from '../support/postgres.js';
import { copyToSqlite, nodeOn, type OwnServer, ownServer } from '../support/postgres-nodes.js';
import { CUTS, PostgresProxy } from '../support/postgres-proxy.js';
import { type Random, randomFrom } from '../support/random.js';
import { type Message, type Peer, type Place, serve } from '../support/serve.js';

const PROCESSES = 4;
const IN_FLIGHT = 4;
/** The first two nodes cannot be told apart by their names. */
const HOSTS = ['same', 'same', 'third', 'fourth'];
const OTHER_HOST = fileURLToPath(new URL('../children/other-host.mjs', import.meta.url));
/** So many exchanges are answered for each that is cut. */
const EXCHANGES_PER_CUT = 300;
const EVERYBODY_CUT_EACH_MS = 3_000;
const PATIENCE_MS = 120_000;
const EVERYTHING_LEASED = /^every task that could be worked on is leased; the first lease ends at 20/;

const run = counted('tasks claimed by a team on PostgreSQL', 4_000);

interface Claim {
  readonly task: string;
  readonly who: string;
  readonly receipt: Receipt | undefined;
}

interface Tally {
  readonly claims: Claim[];
  readonly problems: string[];
  /** Answers that asked to try again. */
  refused: number;
}

const opened = async (place: Place): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2(PATIENCE_MS);
  return peer;
};

/** The data of a call, which is repeated while the store says that it cannot be reached. */
const persist = async (peer: Peer, tally: Tally, tool: string, args: Message): Promise<Message> => {
  for (;;) {
    const answer = await peer.call(tool, args, PATIENCE_MS);
    const { structuredContent } = answer.result;
    if (structuredContent.ok === true && structuredContent.data.ok !== false)
      return { ...structuredContent.data, receipt: receiptOf(answer) };
    const error = structuredContent.error ?? structuredContent.data.error;
    const wait = error.details?.retry_after_ms ?? (error.code === 'AUDIT_EXIT_FAILED' ? 0 : undefined);
    if (wait === undefined) throw new Error(JSON.stringify(structuredContent));
    tally.refused += 1;
    await sleep(Math.min(wait, 300));
  }
};

const fill = async (peer: Peer, tally: Tally, tasks: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let made = 0; made < tasks; made += 50) {
    const titles = Array.from({ length: Math.min(50, tasks - made) }, (_, n) => ({ title: `task ${made + n}` }));
    const { tasks: created } = await persist(peer, tally, 'task_create', { tasks: titles });
    ids.push(...(created as Message[]).map(({ task_id }) => task_id));
  }
  return ids;
};

/** Claims until there is nothing to do, which must be true then: each task is known to be somebody's, or its claim is under way. */
const claimAll = async (peer: Peer, who: string, tally: Tally, everything: () => Promise<boolean>): Promise<void> => {
  const args = { claim_by: who, lease_minutes: 600, another: true };
  for (;;) {
    const { actions, reason, receipt } = await persist(peer, tally, 'task_next_actions', args);
    if (actions.length > 0) {
      tally.claims.push({ task: actions[0].task.task_id, who, receipt });
      run.progress(tally.claims.length);
      continue;
    }
    if (!EVERYTHING_LEASED.test(reason)) tally.problems.push(`${who}: ${reason}`);
    if (!(await everything())) tally.problems.push(`${who} was told that there is nothing, and there was: ${reason}`);
    return;
  }
};

/** Cuts single connections at random places, all of them now and then, and crashes the server twice. */
const havoc = (server: OwnServer, proxy: PostgresProxy, random: Random, tally: Tally) => {
  let [isOver, cuts, crashes] = [false, 0, 0];
  proxy.rule = () => {
    if (!random.chance(1 / EXCHANGES_PER_CUT)) return 'pass';
    cuts += 1;
    return random.pick(CUTS);
  };
  const storm = async (): Promise<void> => {
    let next = Date.now() + EVERYBODY_CUT_EACH_MS;
    while (!isOver) {
      await sleep(20);
      if (Date.now() > next) {
        cuts += proxy.cutAll();
        next = Date.now() + EVERYBODY_CUT_EACH_MS;
      }
      if (crashes < 2 && tally.claims.length > (run.count * (crashes + 1)) / 3) {
        server.stop(crashes === 0 ? 'immediate' : 'fast');
        server.start();
        crashes += 1;
      }
    }
  };
  const ended = storm();
  return async () => {
    isOver = true;
    await ended;
    proxy.rule = () => 'pass';
    return { cuts, crashes };
  };
};

const team = async () => {
  const server = ownServer();
  const proxy = await PostgresProxy.before({ host: '127.0.0.1', port: server.port });
  onTestFinished(() => proxy.close());
  const [direct, url] = [server.url('postgres'), proxy.urlFor(server.url('postgres'))];
  const nodes = HOSTS.map((host) =>
    nodeOn(url, { env: { NODE_OPTIONS: `--import ${OTHER_HOST}`, TEST_HOST: host, TEST_USER: 'agent' } }),
  );
  // One after the other: the first makes the schema.
  const peers: Peer[] = [];
  for (const node of nodes) peers.push(await opened(node));
  const others = nodes.flatMap((node) => Array.from({ length: PROCESSES - 1 }, () => opened(node)));
  return { server, proxy, direct, nodes, peers: [...peers, ...(await Promise.all(others))] };
};

const judge = (path: string, ids: readonly string[], { claims }: Tally): string[] => {
  const ledger = new Ledger(path);
  const problems: string[] = [];
  const db = new Database(path, { readonly: true });
  const leases = db
    .prepare<[], { n: number; holder: string; rev: number }>('SELECT task_n AS n, holder, rev FROM leases')
    .all();
  const holders = new Map(leases.map(({ n, holder }) => [n, holder]));
  db.close();
  if (leases.length !== ids.length) problems.push(`${leases.length} leases of ${ids.length} tasks`);
  if (leases.some(({ rev }) => rev !== 1)) problems.push('a lease was granted twice');
  for (const { task, who, receipt } of claims) {
    if (holders.get(Number(task.slice(2))) !== who) problems.push(`${task}, acknowledged to ${who}, is another's`);
    if (receipt === undefined) problems.push(`${task}: no receipt`);
    else if (ledger.pairOf(receipt).exit?.body.outcome !== 'ok') problems.push(`${task}: another outcome`);
  }
  const granted = ledger
    .ofKind('call.exit')
    .flatMap(({ subjects = [] }) => (subjects as Message[]).filter(({ type }) => type === 'lease'));
  if (new Set(granted.map(({ id }) => id)).size !== granted.length) problems.push('two records grant one lease');
  if (ledger.logs.length !== HOSTS.length) problems.push(`${ledger.logs.length} logs`);
  return problems;
};

describe.skipIf(noPostgres())('a team on PostgreSQL', () => {
  test('claims each task once, whatever happens to the connections and the server', async () => {
    const { server, proxy, direct, nodes, peers } = await team();
    const tally: Tally = { claims: [], problems: [], refused: 0 };
    const [first] = peers;
    if (first === undefined) throw new Error('no process');
    const ids = await fill(first, tally, run.count);
    expect(new Set(ids).size).toBe(run.count);

    const stop = havoc(server, proxy, randomFrom(run.seed), tally);
    const { default: pg } = await import('pg');
    const everything = async (): Promise<boolean> => {
      const client = new pg.Client({ connectionString: direct });
      await client.connect();
      const { rows } = await client.query('SELECT count(*)::int AS leased FROM leases');
      await client.end();
      return rows[0].leased === run.count;
    };
    const begun = performance.now();
    const workers = peers.flatMap((peer, n) =>
      Array.from({ length: IN_FLIGHT }, (_, w) => claimAll(peer, `agent-${n}-${w}`, tally, everything)),
    );
    await Promise.all(workers);
    const seconds = (performance.now() - begun) / 1000;
    const { cuts, crashes } = await stop();
    const ended = await Promise.all(peers.map((peer) => peer.end()));
    process.stderr.write(
      `${tally.claims.length} of ${run.count} claims acknowledged in ${seconds.toFixed(1)} s, ${cuts} connections cut, ${crashes} restarts, ${tally.refused} calls refused\n`,
    );
    expect(tally.problems).toEqual([]);
    expect(crashes).toBe(2);
    expect(cuts).toBeGreaterThan(0);
    expect(ended.map(({ code }) => code)).toEqual(peers.map(() => 0));

    const claimed = tally.claims.map(({ task }) => task);
    expect(new Set(claimed).size).toBe(claimed.length);
    const place = nodes[0] as Place;
    const copy = await copyToSqlite(direct, join(place.dir, 'copy.db'));
    expect(judge(copy, ids, tally)).toEqual([]);
    expect(claimed.toSorted()).toEqual(ids.toSorted());
    expect(checkSubjects(copy)).toEqual([]);
    for (const node of nodes) {
      const known = json(await colibri(node, ['nodes', '--json'])).nodes as Message[];
      expect(known).toHaveLength(HOSTS.length);
      for (const { vkey, own } of known)
        if (!own) expect(await colibri(node, ['nodes', 'accept', vkey])).toMatchObject({ code: 0 });
      const { findings, exit } = json(await colibri(node, ['verify', '--json']));
      expect({ findings, exit }).toEqual({ findings: [], exit: 0 });
    }
  }, 1_800_000);
});
