// Calls a tool of a server that the caller named itself, after the arguments were checked. The call goes to that server or is refused: no
// other server gets it.
import type { Answer, NativeResult, RoutedAnswer } from '../../call/answer.js';
import type { CheckedArguments, ProxiedTool } from '../../call/context.js';
import type { CallRequest } from '../../call/request.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { nearest } from '../../core/nearest.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { PublicTool } from '../front/table.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { type Alternative, refusingAs, type ToolPlace } from '../refusal.js';
import { judgeSchema } from '../schema-judge.js';
import type { SchemaObject } from '../schema-node.js';
import type { LiveProvider, LiveServer, RouteWorld } from './live-provider.js';
import { repairArguments } from './repair.js';
import { withNote } from './route.js';

/** Turns a tool that the caller named directly into a provider as routes have them, so that the same code serves both. */
export const onlyProvider = ({ server, tool }: ToolPlace, at: LiveServer): LiveProvider => ({
  server,
  tool,
  arguments: null,
  fallbackOnError: false,
  at,
});

/** The URIs of resources that a tool's result links to or contains. */
export const linksIn = (result: JsonObject): readonly string[] =>
  (Array.isArray(result.content) ? result.content : []).flatMap((block: unknown) => {
    const { type, uri, resource } = (block ?? {}) as { type?: unknown; uri?: unknown; resource?: { uri?: unknown } };
    const found = type === 'resource_link' ? uri : type === 'resource' ? resource?.uri : undefined;
    return typeof found === 'string' ? [found] : [];
  });

const linksOf = (answer: Answer): readonly string[] => {
  if (answer.kind === 'large') return answer.large.links;
  return answer.kind === 'result' ? linksIn(answer.result) : [];
};

/** Calls `seen` with the URIs of resources that a tool's result links to, if there are any. */
export const tellLinks = (seen: RouteWorld['seen'], server: string, answer: Answer): void => {
  const uris = linksOf(answer);
  if (uris.length > 0) seen(server, uris);
};

export interface DirectCall extends Omit<RouteWorld, 'checks' | 'inForce'> {
  readonly place: ToolPlace;
  readonly at: LiveServer;
  readonly args: NativeResult;
  readonly request: CallRequest;
  /** Returns other tools that could serve the call, for the text of a refusal. */
  readonly alternatives: () => readonly Alternative[];
}

export const callDirectly = (asked: DirectCall): Promise<RoutedAnswer> => {
  const { place, at, args, request, alternatives, seen, nowMs } = asked;
  const { state } = at.backend;
  const answering = at.backend.call(place.tool, args, request, { alternatives });
  return withNote(place, { state, nowMs: nowMs() }, answering).then((answer) => {
    tellLinks(seen, place.server, answer);
    return answer;
  });
};

// A tool of another server in the form that the five stages of a call use: it checks arguments, calls the tool or refuses the call.

export interface ToolParts extends RouteWorld, Pick<DirectCall, 'at' | 'alternatives'> {
  readonly tool: PublicTool;
}

export const proxiedTool = ({ tool, at, checks, inForce, ...rest }: ToolParts): ProxiedTool => ({
  inForce: () => inForce(tool.name, tool.listed),
  check: (args) => checks.check(args, { schema: tool.inputSchema, validate: at.config.validate }),
  call: (args, request) => callDirectly({ place: tool, at, args, request, ...rest }),
  refusal: refusingAs({ server: tool.server.toWellFormed(), tool: tool.tool.toWellFormed() }),
});

// Checks the arguments of a call against the schema of another server's tool. The schema is not trusted: if the check has no clear result or
// would take too long, the arguments are sent all the same, because the server checks them anyway.

/** Why a call's arguments cannot be sent on unchanged: an integer is too large for a double, or the nesting too deep. Else undefined. */
export const notToForward = (args: unknown): string | undefined => {
  const left: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value: args, path: '', depth: 0 },
  ];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { value, path, depth } = item;
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      return `${path} is an integer beyond 2^53 - 1; send it as a string`;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === SWITCHBOARD_LIMITS.proxiedDepth) return `the arguments are nested deeper than ${depth} levels`;
    for (const [key, inner] of Object.entries(value)) {
      left.push({ value: inner, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
  return undefined;
};

/** A text that lists the arguments which the schema does not know, each with the name that was probably meant. */
const unknownKeys = (schema: SchemaObject, args: SchemaObject): string => {
  const { properties, additionalProperties } = schema;
  if (additionalProperties !== false || !isObject(properties)) return '';
  const known = Object.keys(properties);
  const unknown = Object.keys(args).filter((key) => !Object.hasOwn(properties, key));
  const compared = known.slice(0, SWITCHBOARD_LIMITS.namesCompared);
  const hints = unknown.slice(0, CORE_LIMITS.issues).map((key) => {
    const near = nearest(key, compared);
    return near === undefined ? JSON.stringify(key) : `${JSON.stringify(key)} (did you mean ${JSON.stringify(near)}?)`;
  });
  return hints.length === 0 ? '' : `; unknown: ${hints.join(', ')}`;
};

export interface ArgumentRules {
  readonly schema: SchemaObject;
  readonly validate: 'repair' | 'strict' | 'off';
}

export class ArgumentChecks {
  /** The schemas that cannot be evaluated and about which a warning was already written. */
  readonly #told = new WeakSet<SchemaObject>();
  readonly #warn: (text: string) => void;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  check(args: unknown, { schema, validate }: ArgumentRules): CheckedArguments {
    const given = args === undefined ? {} : args;
    if (!isObject(given)) return { problem: 'schema validation failed: the arguments must be an object' };
    const fault = notToForward(given);
    if (fault !== undefined) return { problem: `schema validation failed: ${fault}` };
    if (validate === 'off') return { args: given };
    const { fit, problems, doubt } = judgeSchema(schema, given);
    if (doubt !== undefined) this.#tell(schema, doubt);
    if (fit !== 'no') return { args: given };
    const value = validate === 'repair' ? repairArguments(schema, given) : given;
    if (value !== given && isObject(value) && judgeSchema(schema, value).fit !== 'no') return { args: value };
    return { problem: `schema validation failed: ${problems.join(', ')}${unknownKeys(schema, given)}` };
  }

  #tell(schema: SchemaObject, doubt: string): void {
    if (this.#told.has(schema)) return;
    this.#told.add(schema);
    this.#warn(`a tool's schema cannot be evaluated, so its arguments are not checked: ${doubt}`);
  }
}
