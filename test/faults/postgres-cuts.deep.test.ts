// The connection to PostgreSQL is cut before, in, at and after every statement of every writing tool, COMMIT included: nothing is done twice, and
// nothing that was acknowledged is lost.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TOOLSETS } from '../../src/config.js';
import { colibri, json } from '../support/command-line.js';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { freshDatabase, noPostgres } from '../support/postgres.js';
import { copyToSqlite, nodeOn } from '../support/postgres-nodes.js';
import { PostgresProxy } from '../support/postgres-proxy.js';
import { type Message, serve } from '../support/serve.js';
import { type CutCall, cutEverywhere, WRITING_CALLS } from './postgres-cuts.shared.js';

const behindProxy = async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const { hostname: host, port } = new URL(url);
  const proxy = await PostgresProxy.before({ host, port: Number(port || 5432) });
  onTestFinished(() => proxy.close());
  const place = nodeOn(proxy.urlFor(url), { env: { COLIBRI_TOOLSETS: TOOLSETS.join() } });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  return { url, proxy, place, peer };
};

const told = ({ tool, cut, at, answer, ms }: CutCall): string =>
  `${tool}: cut ${cut}: ${at}: ${Math.round(ms)} ms: ${JSON.stringify(answer.result?.structuredContent ?? answer).slice(0, 200)}`;

/** What the answer says: done, or not done. Everything else is no answer. */
const saysDone = (call: CutCall): boolean => {
  const content = call.answer.result?.structuredContent;
  if (content?.ok === true && content.data?.ok !== false) return true;
  const code = content?.error?.code;
  if (!['STORE_UNAVAILABLE', 'STORE_BUSY', 'AUDIT_ENTER_FAILED', 'AUDIT_EXIT_FAILED'].includes(code))
    throw new Error(`neither done nor refused by the store: ${told(call)}`);
  return false;
};

const judge = (path: string, calls: readonly CutCall[]): { problems: string[]; refused: number } => {
  const ledger = new Ledger(path);
  const db = new Database(path, { readonly: true });
  const problems: string[] = [];
  let refused = 0;
  for (const call of calls) {
    const times = db
      .prepare<(string | number)[], number>(call.sql)
      .pluck()
      .get(...call.params);
    const done = saysDone(call);
    const receipt = receiptOf(call.answer);
    if (!done) {
      refused += 1;
    }
    if (times !== Number(done) && (call.tool !== 'server_ping' || (times ?? 0) > 1))
      problems.push(`${times} times: ${told(call)}`);
    if (done && receipt === undefined && call.tool !== 'server_ping') problems.push(`without a receipt: ${told(call)}`);
    if (done && receipt !== undefined && ledger.pairOf(receipt).exit?.body.outcome !== 'ok')
      problems.push(`another outcome: ${told(call)}`);
  }
  db.close();
  return { problems, refused };
};

describe.skipIf(noPostgres())('a connection cut at every statement', () => {
  test('every tool that writes is among them', async () => {
    const { peer } = await behindProxy();
    const { tools } = (await peer.request('tools/list', {})).result as { tools: Message[] };
    expect((await peer.end()).code).toBe(0);
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
    const cut = Object.keys(WRITING_CALLS).map((name) => name.split(/[ ,]/)[0]);
    expect([...new Set(cut)].filter((name) => name !== 'server_ping').sort()).toEqual(writing.sort());
  });

  test('a statement that the server gets after it was looked up: it is not run twice', async () => {
    const { proxy, place, peer } = await behindProxy();
    for (let n = 1; n <= 60; n++) {
      let isOver = false;
      proxy.lateMs = n;
      proxy.rule = ({ texts }) => {
        if (isOver || !texts.some((text) => /^WITH guard/.test(text))) return 'pass';
        isOver = true;
        return 'late';
      };
      const answer = await peer.call('server_ping', { n });
      expect(answer.result.structuredContent.ok).toBe(true);
    }
    expect((await peer.end()).code).toBe(0);
    const { findings } = json(await colibri(place, ['verify', '--json']));
    expect(findings).toEqual([]);
  }, 180_000);

  test.each(Object.entries(WRITING_CALLS))(
    '%s: nothing twice, nothing acknowledged lost',
    async (name, prepare) => {
      const { url, proxy, place, peer } = await behindProxy();
      const calls = await cutEverywhere({ peer, proxy }, prepare);
      expect((await peer.end()).code).toBe(0);

      const cuts = calls.filter(({ at }) => at !== undefined);
      const exchanges = new Set(cuts.map(({ at }) => at));
      const copy = await copyToSqlite(url, join(place.dir, 'copy.db'));
      const { problems, refused } = judge(copy, calls);
      const longest = Math.round(Math.max(...cuts.map(({ ms }) => ms)));
      process.stderr.write(
        `${name}: ${cuts.length} cuts at ${exchanges.size} statements, ${refused} calls refused, the longest took ${longest} ms\n`,
      );
      expect(problems).toEqual([]);
      expect([...exchanges].join('\n')).toMatch(/COMMIT|UPDATE logs/);
      expect(checkSubjects(copy)).toEqual([]);
      const { code, stdout } = await colibri(place, ['verify']);
      expect(code, stdout).toBe(0);
    },
    600_000,
  );
});
