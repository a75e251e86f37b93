// The table of all keys of a switchboard file; the parser, the JSON Schema and the user documentation are made from this table.
import { CORE_LIMITS } from '../../core/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
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
  undecided,
  type ValueOf,
  wholeNumber,
  wordList,
} from './shape.js';

const DAY_MS = 86_400_000;

const times = (intervalMs: number, timeoutMs: number) => ({
  intervalMs: integer(1_000, DAY_MS, intervalMs, 'Milliseconds between two checks, ± 10 %.'),
  timeoutMs: integer(100, 600_000, timeoutMs, 'How many milliseconds the answer to a check may take.'),
});

const capability = object(
  {
    ...times(300_000, 30_000),
    afterFailures: integer(
      1,
      100,
      2,
      'The capability check also runs at once after this many failures in a row of calls or of another kind of check.',
    ),
    tool: textShape('A read-only tool of the server, by the name the server gives it.'),
    arguments: anyObject('The arguments with which the capability check calls its tool.'),
    expect: either(
      choice(
        ['result', 'answer'],
        'result',
        '"result": a result without isError passes the check; "answer": any answer does.',
      ),
      object(
        { contains: textShape('The text that the result of the check must contain.') },
        'A result that contains the text in "contains" passes the capability check.',
      ),
      'Which answers pass the capability check.',
    ),
  },
  'A real call of a read-only tool at intervals. Without this key there is no such check.',
);

const HEALTH_KEYS = object(
  {
    liveness: object(
      times(10_000, 2_000),
      "A check that the server's process runs and its pipe is open, or that its URL answers.",
    ),
    readiness: object(times(30_000, 5_000), 'A check that the server answers an MCP request.'),
    capability: optional(capability),
    failuresToQuarantine: integer(
      1,
      100,
      3,
      'The server is quarantined after this many failures in a row of calls or of one kind of check, or this many lost connections within stabilityWindowMs.',
    ),
    cooldownMs: integer(
      1_000,
      DAY_MS,
      60_000,
      'How many milliseconds the first quarantine lasts; a failed probation doubles the time.',
    ),
    cooldownMaxMs: integer(1_000, DAY_MS, 900_000, 'The most milliseconds that a quarantine may last.'),
    startTimeoutMs: integer(1_000, 600_000, 30_000, 'How many milliseconds the start of the server may take.'),
    stabilityWindowMs: integer(
      1_000,
      DAY_MS,
      300_000,
      'After so many milliseconds in HEALTHY the next quarantine lasts cooldownMs again.',
    ),
  },
  'The health checks of the server, and what follows when they fail.',
);

const TOOLS = object(
  {
    allow: texts(['*'], 'Tools that are offered; `*` stands for any characters.'),
    deny: texts([], 'Tools that are not offered, even if allowed.'),
    idempotent: texts([], 'Tools of which a call may be sent to the same server a second time.'),
    readOnly: texts([], 'Tools that change nothing.'),
    destructive: texts([], 'Tools that may destroy something, whatever they say of themselves.'),
    ask: either(
      texts([], 'Tools of which every call needs the yes of a person.'),
      choice(['destructive'], 'destructive', 'Every tool that may destroy something.'),
      'Which calls need the yes of a person: those of the tools in this list, or with "destructive" those of every tool that `destructive` names, or that is not said to be read-only or harmless.',
    ),
  },
  'Which tools are offered, and which are idempotent or read-only. Tools have the names that the server gives them.',
);

const QUORUM = object(
  {
    of: texts([], 'The voters, by the names under which `colibri voters add` enrolled them.'),
    need: wholeNumber(1, SWITCHBOARD_LIMITS.quorumVoters, 'How many of them must approve.'),
  },
  'Several must allow a call: so many of these voters. Then nobody is asked by the ways in `via`.',
);

const ASK = object(
  {
    quorum: optional(QUORUM),
    via: wordList(
      ['elicitation', 'command', 'client'],
      ['elicitation', 'command'],
      'How a person is asked, the first way that the client makes possible: "elicitation" (a form in the client), "command" (`colibri approve`), "client" (the client asks by itself; only clients in `clients`).',
    ),
    minutes: integer(1, 1_440, 10, 'After so many minutes a question, or a yes that was not used, is void.'),
    clients: texts(['claude-code'], 'Clients that are believed to ask a person by themselves, by their names.'),
  },
  'How people are asked about the calls of the tools in `tools.ask`.',
);

/** Keys of a server's entry that define its connection; they are not allowed in `defaults`. */
const OWN_KEYS = {
  type: choice(
    ['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'],
    null,
    'The kind of connection, which other clients need. Colibri does not need it: an entry with "command" is a program, one with "url" an HTTP server.',
  ),
  command: textShape('The program that Colibri starts as the server.'),
  args: texts([], 'The arguments of the program in "command".'),
  url: textShape('The URL of a server that is reached over HTTP.'),
} as const;

const SHARED_KEYS = {
  env: textMap("Environment variables of the server's process, besides those that it inherits."),
  cwd: textShape(
    "The working directory of the server's process. A relative path starts at the folder of the switchboard file; the default is that folder.",
  ),
  headers: textMap('HTTP headers of the requests to the server.'),
  inheritEnv: either(
    choice(['minimal', 'all'], 'minimal', '"minimal": a short list of harmless variables; "all": every variable.'),
    texts([], 'Names of variables that the process inherits besides the harmless ones of "minimal".'),
    "Which environment variables of Colibri the server's process inherits.",
  ),
  health: HEALTH_KEYS,
  concurrency: integer(1, 1_024, 16, 'How many calls the server may work on at a time.'),
  timeoutMs: integer(
    CORE_LIMITS.proxiedCallLeastMs,
    CORE_LIMITS.proxiedCallMs,
    50_000,
    'How many milliseconds a call may wait for its answer; a progress notification restarts the time.',
  ),
  prefix: flag(true, 'Whether the tools are listed under the name server__tool instead of tool.'),
  whenUnavailable: choice(
    ['refuse', 'hide'],
    'refuse',
    '"refuse": while the server does not work, its calls are refused; "hide": its tools are also not listed.',
  ),
  validate: choice(['repair', 'strict', 'off'], 'repair', "Whether arguments are checked against the tool's schema."),
  trustHints: flag(true, "Whether readOnlyHint and idempotentHint of the server's tools are believed."),
  interactive: flag(false, 'Whether the server may ask the user a question while several calls to it are in flight.'),
  onChange: choice(
    ['record', 'hold'],
    'record',
    '"record": a tool that changed or appeared is used, and the change is recorded; "hold": its calls are refused until a person approves it.',
  ),
  disabled: flag(false, 'If true, the server is not used.'),
  tools: TOOLS,
  ask: ASK,
} as const;

export const SERVER_KEYS = object(
  { ...OWN_KEYS, ...SHARED_KEYS },
  'One MCP server: the keys that MCP clients know, and keys that only Colibri knows.',
);
export const DEFAULT_KEYS = object(
  SHARED_KEYS,
  "Values for every server that lacks the key. A list in a server's entry replaces the list here.",
);

export const PROVIDER_KEYS = object(
  {
    server: textShape("The server's name, a key of mcpServers."),
    tool: textShape("The tool of the provider's server, by the name the server gives it."),
    arguments: anyObject(
      'What the tool gets, by the names of its arguments: "$name" is the caller\'s argument of that name, "$$text" the text "$text", {"from": "name", "default": …} has a default. If this is left out, the tool gets all arguments of the caller.',
    ),
    fallbackOnError: undecided(
      "Whether a call goes to one further provider if this provider's tool is read-only and answers with an error. If this is left out: only if tools.readOnly of the provider's server lists the tool.",
    ),
  },
  'One provider of the route: a tool of a server.',
);

export type ServerValues = ValueOf<typeof SERVER_KEYS>;
export type HealthValues = ValueOf<typeof HEALTH_KEYS>;
export type AskValues = Omit<ValueOf<typeof ASK>, 'quorum'> & { readonly quorum: QuorumValues | null };
/** The voters of a quorum, and how many of them must approve. */
export interface QuorumValues {
  readonly of: readonly string[];
  readonly need: number;
}
export type ToolsValues = ValueOf<typeof TOOLS>;
