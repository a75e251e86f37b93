// The table of all keys of a switchboard file; the parser, the JSON Schema and the user documentation are made from this table.
import { CORE_LIMITS } from '../../core/limits.js';
import {
  anyObject,
  choice,
  either,
  flag,
  integer,
  object,
  optional,
  textMap,
  textShape,
  texts,
  type ValueOf,
} from './shape.js';

const DAY_MS = 86_400_000;

const times = (intervalMs: number, timeoutMs: number) => ({
  intervalMs: integer(1_000, DAY_MS, intervalMs, 'Time between two checks, ± 10 %.'),
  timeoutMs: integer(100, 600_000, timeoutMs, 'How long an answer may take.'),
});

const capability = object(
  {
    ...times(300_000, 30_000),
    afterFailures: integer(1, 100, 2, 'Runs at once after this many failures in a row of another signal.'),
    tool: textShape('A read-only tool of the server, by the name the server gives it.'),
    arguments: anyObject('What the tool is called with.'),
    expect: either(
      choice(['result', 'answer'], 'result', 'A result without isError, or any answer at all.'),
      object({ contains: textShape('Text that the result must contain.') }, 'A result that contains a text.'),
      'What counts as passed.',
    ),
  },
  'One real call of a read-only tool now and then. Only where configured.',
);

const HEALTH_KEYS = object(
  {
    liveness: object(times(10_000, 2_000), 'Process alive and pipe open, or HTTP reachable.'),
    readiness: object(times(30_000, 5_000), 'The server answers the protocol.'),
    capability: optional(capability),
    failuresToQuarantine: integer(
      1,
      100,
      3,
      'The server is quarantined after this many failures in a row of calls or of one kind of check, or this many lost connections within stabilityWindowMs.',
    ),
    cooldownMs: integer(1_000, DAY_MS, 60_000, 'How long the first quarantine lasts; a failed probation doubles it.'),
    cooldownMaxMs: integer(1_000, DAY_MS, 900_000, 'The longest that a quarantine may last.'),
    startTimeoutMs: integer(1_000, 600_000, 30_000, 'How long a start may take.'),
    stabilityWindowMs: integer(1_000, DAY_MS, 300_000, 'After this time in HEALTHY the cooldown is cooldownMs again.'),
  },
  'The checks of the server, and what follows from them.',
);

const TOOLS = object(
  {
    allow: texts(['*'], 'Tools that are offered; `*` stands for any characters.'),
    deny: texts([], 'Tools that are not offered, even if allowed.'),
    idempotent: texts([], 'Tools that may be sent to the same server again.'),
    readOnly: texts([], 'Tools that change nothing.'),
  },
  'Which tools are offered, and what is known about them. Names are those that the server gives them.',
);

/** Keys of a server's entry that define its connection; they are not allowed in `defaults`. */
const OWN_KEYS = {
  type: choice(
    ['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'],
    null,
    'The kind of connection, which other clients need. Colibri ignores it: an entry with "command" is a program, one with "url" an HTTP server.',
  ),
  command: textShape('The program that is started.'),
  args: texts([], 'Its arguments.'),
  url: textShape('Where the server answers over HTTP.'),
} as const;

const SHARED_KEYS = {
  env: textMap('Variables of the process, besides those it inherits.'),
  cwd: textShape('Its working directory; relative to the folder of this file, which is the default.'),
  headers: textMap('HTTP headers.'),
  inheritEnv: either(
    choice(['minimal', 'all'], 'minimal', 'A short list of harmless variables, or everything.'),
    texts([], 'The harmless variables and these.'),
    'Which of our own variables the process inherits.',
  ),
  health: HEALTH_KEYS,
  concurrency: integer(1, 1_024, 16, 'How many calls may run at a time.'),
  timeoutMs: integer(
    CORE_LIMITS.proxiedCallLeastMs,
    CORE_LIMITS.proxiedCallMs,
    50_000,
    'How long a call may take without an answer; progress restarts the time.',
  ),
  prefix: flag(true, 'Whether tools are named server__tool.'),
  whenUnavailable: choice(['refuse', 'hide'], 'refuse', 'What happens to its tools while it does not work.'),
  validate: choice(['repair', 'strict', 'off'], 'repair', "Whether arguments are checked against the tool's schema."),
  trustHints: flag(true, 'Whether readOnlyHint and idempotentHint of its tools count.'),
  interactive: flag(false, 'Whether it may ask the user while several calls are in flight.'),
  disabled: flag(false, 'Whether the server is left out.'),
  tools: TOOLS,
} as const;

export const SERVER_KEYS = object(
  { ...OWN_KEYS, ...SHARED_KEYS },
  'One MCP server: the keys that clients know, and our own.',
);
export const DEFAULT_KEYS = object(
  SHARED_KEYS,
  "For every server that lacks the key; a server's list replaces the one here.",
);

export const PROVIDER_KEYS = object(
  {
    server: textShape('A key of mcpServers.'),
    tool: textShape('A tool of that server, by the name the server gives it.'),
    arguments: anyObject(
      'What the tool gets, by the names of its arguments: "$name" is the caller\'s argument of that name, "$$text" the text "$text", {"from": "name", "default": …} has a default. If this is left out, the tool gets all arguments of the caller.',
    ),
    fallbackOnError: flag(false, 'An isError of this read-only tool sends the call to the next provider.'),
  },
  'One way to serve the route.',
);

export type ServerValues = ValueOf<typeof SERVER_KEYS>;
export type HealthValues = ValueOf<typeof HEALTH_KEYS>;
export type ToolsValues = ValueOf<typeof TOOLS>;
