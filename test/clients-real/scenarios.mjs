// What is tried with each client, and what must be seen: in the ledger, and in what the model was shown. A scenario is a script for the
// model and its checks; a check returns undefined where all is well, else what was seen instead.
import { setTimeout as sleep } from 'node:timers/promises';
import { offered } from './model/stub.mjs';

const TEXT = 'hello through Colibri, with "quotes" and ü';
const WAIT_MS = 60_000;
const SLOW_START_MS = 2_000;
const UNTIL_CALLED_MS = 45_000;
const LOOK_MS = 300;
export const TOGETHER = 3;

const agentTurns = ({ turns }) => turns.filter(({ aside }) => !aside);
/** What the model was shown of the n-th result, in the first request that has it. */
const resultAt = (seen, n) => agentTurns(seen).find(({ results }) => results.length > n)?.results[n];
const first = (seen) => agentTurns(seen)[0];

const clip = (text) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
const unless = (isGood, why) => (isGood ? undefined : why());

const listsTools = (seen) => {
  const turn = first(seen);
  if (turn === undefined) return 'no request to the model offered a tool of Colibri';
  const missing = seen.ownTools.filter((name) => offered(turn.tools, name) === undefined);
  return unless(missing.length === 0, () => `not offered: ${missing.join(', ')}`);
};

const showsInstructions = (seen) => {
  const turn = first(seen);
  return unless(turn?.shown.includes(seen.instructions), () => 'the first sentence of the instructions was not shown');
};

const recorded = ({ calls }, tool, outcome) => {
  const found = calls.filter((one) => one.tool === tool);
  if (found.length !== 1) return `${found.length} calls of ${tool} in the ledger`;
  const [{ outcome: seen, seq, client }] = found;
  if (seen !== outcome) return `${tool} was recorded as ${seen}`;
  if (!Number.isInteger(seq)) return `${tool} has no record`;
  return unless(client?.name, () => `the client of ${tool} is not known`);
};

const shown = (seen, n, ...parts) => {
  const result = resultAt(seen, n);
  if (result === undefined) return `the model was not shown result ${n + 1}`;
  const missing = parts.filter((part) => !result.text.includes(part));
  return unless(missing.length === 0, () => `the model was not shown ${missing.join(', ')}, but: ${clip(result.text)}`);
};

const isFlagged = (seen, n) => {
  const turn = agentTurns(seen).find(({ results }) => results.length > n);
  if (turn === undefined || !turn.marksErrors) return undefined;
  return unless(turn.results[n].isError, () => 'the refusal was shown without the flag of an error');
};

const usesTool = (seen) => recorded(seen, 'task_create', 'ok') ?? shown(seen, 0, 'T-0001');

/** Of a client that asks for strict schemas: each of ours can be converted. */
const isStrict = (seen) => {
  const loose = seen.ownTools.filter((name) => offered(first(seen)?.tools ?? [], name)?.strict !== true);
  return unless(loose.length === 0, () => `not strict: ${loose.join(', ')}`);
};

const work = {
  script: [
    [{ tool: 'task_create', args: { title: 'Write the report', description: 'One page.', priority: 'high' } }],
    [{ tool: 'task_update', args: { task_id: 'T-0001', status: 'DONE' } }],
    [{ tool: 'behind__echo', args: { text: TEXT } }],
  ],
  checks: {
    tools: listsTools,
    instructions: showsInstructions,
    call: usesTool,
    strict: isStrict,
    refusal: (seen) =>
      recorded(seen, 'task_update', 'domain_error') ??
      shown(seen, 1, 'ERR_INVALID_TRANSITION', 'GATHER', 'next') ??
      isFlagged(seen, 1),
    proxied: (seen) => recorded(seen, 'behind__echo', 'ok') ?? shown(seen, 2, 'echo: hello through Colibri'),
  },
};

const slow = {
  isCold: true,
  servers: { behind: 0, slow: SLOW_START_MS },
  script: [
    [{ tool: 'task_create', args: { title: 'Begin before all servers are there' } }],
    [{ tool: 'behind__wait', args: { ms: SLOW_START_MS + 1_000 } }],
    [{ tool: 'slow__echo', args: { text: TEXT } }],
  ],
  checks: {
    'slow start': (seen) => listsTools(seen) ?? usesTool(seen),
    'late tools': (seen) => recorded(seen, 'slow__echo', 'ok'),
  },
};

const running = async (place) => (await place.calls()).some(({ outcome }) => outcome === 'running');

const interrupt = {
  script: [[{ tool: 'behind__wait', args: { ms: WAIT_MS } }]],
  during: async (place, [program]) => {
    const until = Date.now() + UNTIL_CALLED_MS;
    while (Date.now() < until && !(await running(place).catch(() => false))) await sleep(LOOK_MS);
    program.interrupt();
  },
  checks: { interrupt: (seen) => recorded(seen, 'behind__wait', 'cancelled') },
};

const together = {
  processes: TOGETHER,
  script: [[{ tool: 'task_create', args: { title: 'One of several' } }]],
  checks: {
    together: ({ calls }) => {
      const made = calls.filter(({ tool, outcome }) => tool === 'task_create' && outcome === 'ok');
      const instances = new Set(made.map(({ instance }) => instance));
      return unless(
        made.length === TOGETHER && instances.size === TOGETHER,
        () => `${made.length} calls of ${instances.size} processes`,
      );
    },
  },
};

/** Only for clients of which we know what they send first. */
const opening = {
  isTapped: true,
  script: [[{ tool: 'task_create', args: { title: 'Whatever came first' } }]],
  checks: {
    opening: (seen) =>
      unless(
        seen.methods[0] === seen.opensWith,
        () => `it opened with ${seen.methods[0]}, not with ${seen.opensWith}`,
      ) ??
      listsTools(seen) ??
      usesTool(seen),
  },
};

export const SCENARIOS = { work, slow, interrupt, together, opening };

/** The columns of the table, and what each says. */
export const CHECKS = {
  tools: 'the model is offered all of our tools',
  instructions: 'the model is shown our instructions',
  call: 'a call with arguments arrives, is recorded, and its result is shown to the model',
  strict: 'all of our schemas can be converted to the strict form, where the client wants that',
  refusal:
    'a refusal is recorded, and shown to the model with its advice; flagged as an error where the API of the model has such a flag',
  proxied: 'a tool of a server behind Colibri works',
  'slow start': 'with a server that takes 2 s to start, our own tools are offered in the first turn and work',
  'late tools': 'the tools of that server can be used later in the same session',
  interrupt: 'SIGINT to the client during a call: it is recorded as `cancelled`',
  together: `${TOGETHER} sessions at once in one project`,
  opening: 'it opens with the request that we expect of this version, and all is as with the other order',
};
