// The demo's step about the switchboard: two MCP servers and a route over both. One server is killed: calls to it are refused, the route
// uses the other server, and the killed server is restarted.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { bundledFile } from '../../core/installed.js';
import { CLI_LIMITS } from '../limits.js';
import type { DemoClient, Result } from './client.js';
import type { Scratch } from './scratch.js';
import { ClaimFailed, type Story } from './story.js';

const EXAMPLES = fileURLToPath(bundledFile('cli/demo/server.js'));

const ROUTE = 'date:weekday';
const ROUTE_TOOL = 'date__weekday';
const FIRST = { server: 'almanac', tool: 'almanac__weekday_of' } as const;
const SECOND = { server: 'calendar', tool: 'calendar__day_name' } as const;
const DATE = '1969-07-20';
const DAY = 'Sunday';

/** In the demo one lost connection leads to a short quarantine; by default three lost connections do, and the quarantine lasts a minute. */
const HEALTH = { failuresToQuarantine: 1, cooldownMs: 2_000 } as const;

const PROVIDERS = [
  'almanac/weekday_of',
  { server: 'calendar', tool: 'day_name', arguments: { when: '$date' } },
] as const;

export const writeBoard = (scratch: Scratch): string => {
  const entry = (name: string) => ({ command: process.execPath, args: [EXAMPLES, name], health: HEALTH });
  const file = scratch.in('switchboard.json');
  const servers = { [FIRST.server]: entry(FIRST.server), [SECOND.server]: entry(SECOND.server) };
  writeFileSync(file, `${JSON.stringify({ mcpServers: servers, routes: { [ROUTE]: PROVIDERS } }, null, 2)}\n`);
  return file;
};

const weekday = z.object({ day: z.string(), server: z.string(), pid: z.int() });

const answerIn = (result: Result) => weekday.safeParse(result.structuredContent).data;

const refusal = z.looseObject({
  code: z.string(),
  status: z.int(),
  message: z.string(),
  details: z.looseObject({ retry_after_ms: z.number().nullable() }),
});
const refusalIn = z.looseObject({ 'dev.colibri/refusal': z.object({ ok: z.literal(false), error: refusal }) });

const errorIn = ({ _meta }: Result) => refusalIn.safeParse(_meta).data?.['dev.colibri/refusal'].error;

/** Repeats `look` until it returns something; throws after the demo's longest wait. */
const eventually = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
  const until = performance.now() + CLI_LIMITS.demoPatienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new ClaimFailed(what, `not within ${CLI_LIMITS.demoPatienceMs} ms`);
    await sleep(CLI_LIMITS.demoPollMs);
  }
};

const allListed = async (story: Story, client: DemoClient): Promise<void> => {
  const wanted = [ROUTE_TOOL, FIRST.tool, SECOND.tool, 'router_score'];
  const names = await eventually('the tools of both servers are listed', async () => {
    const listed = await client.tools();
    return wanted.every((name) => listed.includes(name)) ? listed : undefined;
  });
  story.claim(names.includes(ROUTE_TOOL), {
    claim: `their tools and the route are listed with ours: ${names.length} in all`,
    lines: [
      `${FIRST.tool} {date}`,
      `${SECOND.tool} {when}`,
      `${ROUTE_TOOL} {date}, a route over both servers:`,
      ...PROVIDERS.map((provider) => `  ${JSON.stringify(provider)}`),
    ],
    data: { tools: names },
  });
};

/** Calls both servers and the route. Returns the pids of the two servers. */
const bothAnswer = async (story: Story, client: DemoClient): Promise<{ first: number; second: number }> => {
  const first = answerIn(await client.call(FIRST.tool, { date: DATE }));
  const second = answerIn(await client.call(SECOND.tool, { when: DATE }));
  const routed = answerIn(await client.call(ROUTE_TOOL, { date: DATE }));
  story.claim(first?.day === DAY && second?.day === DAY && routed?.day === DAY && routed.server === FIRST.server, {
    claim: `both say that ${DATE} was a ${DAY}; the route asks ${FIRST.server}, its first provider`,
    data: { first, second, routed },
  });
  return { first: first.pid, second: second.pid };
};

const orNull = z.string().nullable();
const score = z.looseObject({
  winner: z.looseObject({ server: z.string() }).nullable(),
  candidates: z.array(z.looseObject({ server: z.string(), state: orNull, eligible: z.boolean(), reason: orNull })),
});

/** Waits until the dead server is in quarantine. `router_score` only reads the health states, it calls no server. */
const seenDead = async (story: Story, client: DemoClient): Promise<void> => {
  const { winner, candidates } = await eventually('the death of a server is noticed', async () => {
    const scored = await client.ask('router_score', { route: ROUTE }, score);
    return scored.candidates.some(({ state }) => state === 'QUARANTINE') ? scored : undefined;
  });
  const lines = candidates.map(
    ({ server, state, eligible, reason }) =>
      `${server}: ${state}, ${eligible ? 'gets calls' : 'gets no calls'}${reason === null ? '' : ` (${reason})`}`,
  );
  story.claim(winner?.server === SECOND.server, {
    claim: `${FIRST.server} is killed and put into quarantine`,
    lines,
    data: { candidates },
    found: { winner, candidates },
  });
};

const ownToolRefused = async (story: Story, client: DemoClient): Promise<void> => {
  const result = await client.call(FIRST.tool, { date: DATE });
  const error = errorIn(result);
  const [sentence] = result.content;
  const words = sentence?.type === 'text' ? sentence.text : '';
  story.claim(result.isError === true && error?.code === 'TOOL_UNAVAILABLE' && error.status === 503 && words !== '', {
    claim: 'its own tool is refused, in a sentence that a model can act on',
    lines: [error?.message ?? '', words],
    data: { error, sentence: words },
    found: result,
  });
};

const routeGoesOn = async (story: Story, client: DemoClient): Promise<void> => {
  const routed = answerIn(await client.call(ROUTE_TOOL, { date: DATE }));
  story.claim(routed?.day === DAY && routed.server === SECOND.server, {
    claim: `the route still answers ${DAY}: it asked ${SECOND.server}, in ${SECOND.server}'s own words`,
    data: { routed },
  });
};

/** Waits as long as the refusal says, then until the killed server runs again. Returns the pid of the restarted server. */
const comesBack = async (story: Story, client: DemoClient, dead: number): Promise<number> => {
  const ask = (): Promise<Result> => client.call(FIRST.tool, { date: DATE });
  const waitMs = errorIn(await ask())?.details.retry_after_ms ?? 0;
  await sleep(Math.min(waitMs, CLI_LIMITS.demoPatienceMs));
  const back = await eventually(`${FIRST.server} comes back`, async () => answerIn(await ask()));
  const routed = answerIn(await client.call(ROUTE_TOOL, { date: DATE }));
  story.claim(back.pid !== dead && back.day === DAY && routed?.server === FIRST.server, {
    claim: `${FIRST.server} was started again, was tried with one call, and serves the route again`,
    data: { dead, pid: back.pid, routed },
    found: { back, routed },
  });
  return back.pid;
};

/** Plays the step about the switchboard. Returns the pids of the servers that run at its end. */
export const showRoute = async (story: Story, client: DemoClient): Promise<readonly number[]> => {
  await allListed(story, client);
  const { first, second } = await bothAnswer(story, client);
  process.kill(first, 'SIGKILL');
  await seenDead(story, client);
  await ownToolRefused(story, client);
  await routeGoesOn(story, client);
  return [await comesBack(story, client, first), second];
};
