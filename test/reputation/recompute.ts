// Computes reputation from the lines of `colibri export`, from docs/reputation.md alone. Imports nothing of Colibri, on purpose: it is the
// stranger with whose figures ours are compared.

// biome-ignore lint/suspicious/noExplicitAny: lines of an export are looked at member by member
type Line = Record<string, any>;

export interface Event {
  readonly node: string;
  readonly domain: string;
  readonly good: boolean;
  readonly why: string;
  readonly at: string;
  readonly log: string;
  readonly seq: number;
}

const CREDITS: Record<string, [string, boolean][]> = {
  done: [['execution', true]],
  reopened: [['execution', false]],
  taken: [['execution', false]],
  delivered: [['commissioning', true]],
  cancelled: [['commissioning', false]],
  expired: [
    ['execution', false],
    ['social', false],
  ],
  handed: [['social', true]],
  agreed: [['arbitration', true]],
  disagreed: [['arbitration', false]],
  silent: [['arbitration', false]],
  equivocated: [['arbitration', false]],
};

const answered = ['result', 'is_error', 'error'];
const failed = ['timeout', 'lost', 'server_error'];

/** All events, the newest first. */
export const eventsIn = (text: string): Event[] => {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  const numbers = new Map<string, number>(
    lines.filter(({ row }) => row === 'log').map(({ log, no }, i) => [log, no ?? i]),
  );
  const found: (Event & { readonly order: [string, number, number, number] })[] = [];
  for (const line of lines) {
    const body =
      line.body === undefined
        ? undefined
        : ((typeof line.body === 'string' ? JSON.parse(line.body) : line.body) as Line);
    if (body?.kind !== 'call.exit') continue;
    const { at, log, seq, route, credits = [] } = body;
    let place = 0;
    const add = (node: string, domain: string, good: boolean, why: string): void => {
      found.push({ node, domain, good, why, at, log, seq, order: [at, numbers.get(log) ?? 0, seq, place] });
    };
    for (const { server, how } of route?.attempts ?? []) {
      if (answered.includes(how) || failed.includes(how))
        add(`server:${server}`, 'execution', answered.includes(how), how);
      place += 1;
    }
    for (const { node, why } of credits)
      for (const [domain, good] of CREDITS[why] ?? []) {
        add(node, domain, good, why);
        place += 1;
      }
    const attempts: Line[] = route?.attempts ?? [];
    for (const [i, { how, approval, allowed_by = [] }] of attempts.entries()) {
      const isLast = attempts.findLastIndex((one) => one.approval === approval) === i;
      if (!isLast || ![...answered, ...failed].includes(how)) continue;
      for (const name of allowed_by) {
        const node = name.startsWith('server:') ? `agent:${name}` : name;
        add(node, 'governance', how === 'result' || how === 'is_error', 'allowed');
        place += 1;
      }
    }
  }
  const newer = (a: readonly (string | number)[], b: readonly (string | number)[]): number => {
    for (const [i, one] of a.entries()) if (one !== b[i]) return one < (b[i] ?? 0) ? 1 : -1;
    return 0;
  };
  return found.sort((a, b) => newer(a.order, b.order)).map(({ order: _, ...event }) => event);
};

const rootUp = (value: bigint): bigint => {
  let [low, high] = [0n, value + 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (middle * middle >= value) high = middle;
    else low = middle + 1n;
  }
  return low;
};

export const epochIn = (at: string): number => Math.floor(new Date(at).getTime() / 86_400_000);

export const scoreFrom = (events: readonly Event[], epoch: number): number => {
  const U = 2n ** 20n;
  let [S, F] = [0n, 0n];
  for (const { at, good } of events) {
    const halvings = Math.max(0, Math.floor((epoch - epochIn(at)) / 30));
    const w = U / 2n ** BigInt(halvings);
    if (good) S += w;
    else F += w;
  }
  const N = S + F;
  if (N === 0n) return 0;
  const Q = rootUp(38416n * U * U + (40000n * S * F * U) / N);
  const top = 20000n * S + 38416n * U - 196n * Q;
  return Number((10000n * (top > 0n ? top : 0n)) / (20000n * N + 76832n * U));
};

/** The row of a node in a domain, as `reputation_get` shows it. */
export const rowFrom = (all: readonly Event[], node: string, domain: string, epoch: number) => {
  const own = all.filter((event) => event.node === node && event.domain === domain);
  return own.length === 0
    ? null
    : {
        node_id: node,
        domain,
        score: scoreFrom(own, epoch),
        scar_bps: 0,
        ban_until_epoch: null,
        last_activity_epoch: Math.max(...own.map(({ at }) => epochIn(at))),
        successes: own.filter(({ good }) => good).length,
        failures: own.filter(({ good }) => !good).length,
      };
};
