// The script of the demo: its steps in order.

import { setTimeout as sleep } from 'node:timers/promises';
import { quietly } from '../../errors.js';
import { CLI_LIMITS } from '../limits.js';
import type { KeptReceipt } from '../verify/receipts-file.js';
import { DemoClient } from './client.js';
import { killWhileWriting, nothingLost } from './crash.js';
import { proveDecision, sealDemoSession, showTampering, verifyAll } from './proof.js';
import { type Counts, lookIntoDemo, transitionsOf } from './repository.js';
import { showRoute, writeBoard } from './route.js';
import type { Scratch } from './scratch.js';
import { ClaimFailed, type Story } from './story.js';
import { claimNext, DECISION, finishWork, startWork, VERIFIED, type Work } from './work.js';

/** Everything that the demo's steps share: folder, output, receipts, and the clients, so that all clients can be closed at the end. */
export class Cast {
  readonly scratch: Scratch;
  readonly story: Story;
  readonly receipts: KeptReceipt[] = [];
  readonly #clients: DemoClient[] = [];

  constructor(scratch: Scratch, story: Story) {
    this.scratch = scratch;
    this.story = story;
  }

  /** Starts a `colibri serve` and connects a client to it. */
  async connect(env: Readonly<Record<string, string>> = {}): Promise<DemoClient> {
    this.scratch.interrupted.throwIfAborted();
    const client = new DemoClient(this.scratch, env, this.receipts);
    this.#clients.push(client);
    await client.connect();
    return client;
  }

  /** The last line that the newest server printed on stderr. */
  get lastWords(): string {
    return this.#clients.at(-1)?.stderr.trim().split('\n').at(-1) ?? '';
  }

  async end(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

const workBegins = async (cast: Cast): Promise<{ client: DemoClient; work: Work }> => {
  const { story } = cast;
  story.begin('An agent at work', 'A client starts `colibri serve` and speaks MCP to it over stdin and stdout.');
  const client = await cast.connect();
  const tools = await client.tools();
  const { protocol, version } = client.hello;
  cast.story.claim(tools.includes('task_create') && version !== '' && protocol !== '', {
    claim: `colibri ${version} answers and lists ${tools.length} tools (MCP ${protocol})`,
    data: { version, protocol, tools },
  });
  return { client, work: await startWork(story, client) };
};

const crash = async (cast: Cast, client: DemoClient, { session }: Work): Promise<DemoClient> => {
  const { story, scratch } = cast;
  story.begin(
    'kill -9 in the middle',
    'The agent writes down measurements, eight at a time. The server gets SIGKILL; another one opens the same store.',
  );
  const acknowledged = await killWhileWriting(story, client, session);
  const next = await cast.connect({ COLIBRI_SWITCHBOARD: writeBoard(scratch) });
  await nothingLost(cast, next, session, acknowledged);
  return next;
};

const idOf = (thoughts: ReadonlyMap<string, string>, wanted: string): string => {
  const [found] = [...thoughts].find(([, content]) => content === wanted) ?? [];
  if (found === undefined) throw new ClaimFailed('the session has the notes of its task', [...thoughts.values()]);
  return found;
};

/** Returns the ids of the thoughts that the next steps prove and forge. */
const workEnds = async ({ story }: Cast, client: DemoClient, work: Work) => {
  story.begin('The task is done and sealed', 'The agent goes on where it was, and closes its session.');
  await finishWork(story, client, work);
  await claimNext(story, client, 'T-0002');
  const thoughts = await sealDemoSession(story, client, work.session);
  return { decision: idOf(thoughts, DECISION), measured: idOf(thoughts, VERIFIED) };
};

const isAlive = (pid: number): boolean => quietly(() => process.kill(pid, 0)) ?? false;

/** Ends `colibri serve` and checks that the MCP servers behind it (their pids: `others`) end too. */
const endServer = async (story: Story, client: DemoClient, others: readonly number[]): Promise<void> => {
  const ended = await client.stop('SIGTERM');
  const until = performance.now() + CLI_LIMITS.demoPatienceMs;
  while (others.some(isAlive) && performance.now() < until) await sleep(CLI_LIMITS.demoPollMs);
  story.claim(ended && !others.some(isAlive), {
    claim: 'asked to end, the server closes the store and ends both servers behind it',
    data: { pids: others },
    found: { ended, alive: others.filter(isAlive) },
  });
};

const otherServers = async (cast: Cast, client: DemoClient): Promise<void> => {
  const { story, scratch } = cast;
  story.begin(
    'Two MCP servers, one route',
    'Behind Colibri are two servers that answer the same question under different names. One is killed. (Here one lost connection is enough for a short quarantine; by default it takes three, and the quarantine lasts a minute.)',
  );
  const pids = await showRoute(story, client);
  await endServer(story, client, pids);
  const states = await lookIntoDemo(scratch.store, (tx) => transitionsOf(tx, 'almanac'));
  cast.story.claim(
    ['HEALTHY', 'QUARANTINE', 'PROBATION'].every((state) => states.includes(state)) && states.at(-1) === 'HEALTHY',
    {
      claim: 'every change of health is in the ledger, with its cause',
      lines: [`almanac: ${states.join(', ')}`],
      data: { states },
    },
  );
};

/** Plays all steps of the demo. Rejects with the first claim that does not hold. */
export const play = async (cast: Cast): Promise<Counts> => {
  const { story, scratch, receipts } = cast;
  const { client, work } = await workBegins(cast);
  const next = await crash(cast, client, work);
  const { decision, measured } = await workEnds(cast, next, work);
  await otherServers(cast, next);
  story.begin('Proof', 'No server is running any more. Only files are left, and commands that read them.');
  await proveDecision(story, scratch, decision);
  const counts = await verifyAll(story, scratch, receipts);
  story.begin('Somebody changes the past', 'The store is copied, and the copy is edited without Colibri.');
  await showTampering(story, scratch, measured);
  return counts;
};
