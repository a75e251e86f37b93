// Defines a tool of Colibri in one place: its description, arguments, result, errors, examples and handler. The listing, validation,
// docs/tools.md and the wire test of its examples are made from that definition.
import type * as z from 'zod';
import { CORE_LIMITS } from '../core/limits.js';
import type { Soon } from '../core/soon.js';
import { ColibriError, type ErrorCode } from '../errors.js';
import type { Evidence } from '../ledger/evidence.js';
import type { OwnLog } from '../ledger/own-log.js';
import type { HandedOn, InputNeeded } from '../middleware/handed-on.js';
import { redactShapes } from '../redact/redact.js';
import type { ReadTx, Tx } from '../store/store.js';
import type { ColibriServerContext, ColibriToolConfig, DefinitionInForce, HandlerExtra, Tool } from './context.js';
import { lenientReading } from './lenient.js';
import { mapTexts } from './texts.js';

export { ARGUMENT_DOCS, type ArgumentBound, arg, bounded } from './argument.js';

/** A deeply read-only value. */
export type Frozen<T> = T extends readonly (infer U)[]
  ? readonly Frozen<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

export interface ToolError {
  readonly when: string;
  /** The members of the error's `details`, if they are fixed. */
  readonly details?: z.ZodRawShape;
}

export interface ToolExample {
  /**
   * The arguments of the example. Examples run in order, in one new store; `$thought_record.thought_id` stands for the field `thought_id`
   * of the last answer of `thought_record`.
   */
  readonly args: Readonly<Record<string, unknown>>;
  /** The error code that the example's call is refused with. */
  readonly error?: ErrorCode;
}

/** The definition of a tool. `N`: the type of what its handler gets from the process, such as the functions of another module. */
export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject, N>
  extends Pick<ColibriToolConfig, 'appends' | 'keepsTexts' | 'meta' | 'ownSnapshots' | 'sync' | 'vital'> {
  readonly name: string;
  readonly title: string;
  /** When to use the tool, in words for models; sent in `tools/list`. */
  readonly description: string;
  /** When to use the tool, in words for people; shown in docs/tools.md. */
  readonly when: string;
  readonly effect: 'read' | 'write' | 'proxy';
  /** If true, the tool is listed only while there is a switchboard. */
  readonly ofSwitchboard?: true;
  /** The argument that makes a call of this reading tool a write, except in mode READONLY. */
  readonly writesWith?: keyof z.infer<I> & string;
  readonly input: I;
  /** The schema of `data`. The compiler checks `run`, and a test the answers to all examples; a check at run time would slow every call. */
  readonly output: O;
  /**
   * The errors that the tool itself answers with. An error whose code begins with ERR_ is returned inside the `data` of a successful
   * result.
   */
  readonly errors: { readonly [C in ErrorCode]?: ToolError };
  readonly examples: readonly ToolExample[];
  /**
   * Names of arguments whose text the tool stores in its own tables. They are not stored again with the call. Secrets in them are removed
   * before they are stored; the member `redacted` of the answer names the arguments in which that happened. `steps.note` means the
   * member `note` of every element of the list `steps`.
   */
  readonly texts?: readonly string[];
  /** Runs before the transaction and gets what `run` needs from outside the store. `run` gets the result as `extra.prepared`. */
  readonly prepare?: (args: z.infer<I>, needs: N) => Promise<unknown>;
  /** For a tool that calls another server's tool: the definition of that tool, for the record of the call's intent. */
  readonly inForce?: (args: z.infer<I>, needs: N) => Soon<DefinitionInForce | undefined>;
  readonly run: (args: z.infer<I>, extra: HandlerExtra, needs: N) => ToolAnswer<O> | Promise<ToolAnswer<O>>;
}

type ToolAnswer<O extends z.ZodObject> = Frozen<z.infer<O>> | HandedOn | InputNeeded;

/** A registered tool together with its definition, from which docs/tools.md and a test of all examples are made. */
export interface OwnTool extends Tool {
  readonly definition: Pick<
    ToolDefinition<z.ZodObject, z.ZodObject, never>,
    'effect' | 'errors' | 'examples' | 'input' | 'output' | 'when'
  > & { readonly writesWith?: string };
}

/** Makes the tool for one server context. `needs`: what the tool's handler gets from the process. */
export type DefinedTool<N = unknown> = (ctx: ColibriServerContext, needs: N) => OwnTool;

const READS = { readOnlyHint: true, openWorldHint: false } as const;
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/** For each effect of a tool: the modes that list the tool, and its annotations. */
const KINDS = {
  vital: { annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false } },
  read: { admittedIn: ['FULL', 'TEST', 'READONLY'], annotations: READS },
  write: { admittedIn: ['FULL', 'TEST'], annotations: WRITES },
  /** A tool that calls another server's tool, which may do anything. */
  proxy: { annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true } },
} as const satisfies Record<string, Pick<ColibriToolConfig, 'admittedIn' | 'annotations'>>;

export const toolOf = (name: string, config: ColibriToolConfig, handler: Tool['handler']): Tool => {
  const { effect, prepare } = config;
  return {
    name,
    config,
    read: lenientReading(config.inputSchema),
    effectOf: typeof effect === 'function' ? (args) => effect(args as never) : () => effect ?? 'open',
    prepare: prepare as Tool['prepare'],
    handler,
  };
};

type Args = Readonly<Record<string, unknown>>;

/** Removes secrets from the texts that the tool stores; the answer names the arguments that held any. */
const cleaning =
  (handler: Tool['handler'], texts: readonly string[]): Tool['handler'] =>
  async (given, extra) => {
    const redacted: string[] = [];
    const cleaned = mapTexts(given as Args, texts, (text, place) => {
      const kept = typeof text === 'string' ? redactShapes(text) : text;
      if (kept !== text) redacted.push(place);
      return kept;
    });
    if (redacted.length === 0) return handler(given, extra);
    return { ...((await handler(cleaned, extra)) as object), redacted };
  };

export const defineTool = <I extends z.ZodObject, O extends z.ZodObject, N = unknown>(
  definition: ToolDefinition<I, O, N>,
): DefinedTool<N> => {
  const { effect, writesWith, input, texts, prepare, inForce, run, ...rest } = definition;
  const config = {
    ...rest,
    ...KINDS[rest.vital === true ? 'vital' : effect],
    ...(writesWith !== undefined && { annotations: WRITES }),
    errorPattern: Object.keys(rest.errors).some((code) => code.startsWith('ERR_')) ? 'B' : 'A',
    inputSchema: input,
    ...(texts && { keepsTexts: texts }),
  } as const;
  return (ctx, needs) => {
    const writes = (args: Args) =>
      writesWith !== undefined && ![undefined, false].includes(args[writesWith] as false) && ctx.mode !== 'READONLY';
    const bound: ColibriToolConfig = {
      ...config,
      effect: writesWith === undefined ? effect : (args) => (writes(args) ? 'write' : effect),
      ...(rest.ofSwitchboard && { isListed: () => ctx.switchboard?.isThere === true }),
      ...(prepare && { prepare: (args) => prepare(args as z.infer<I>, needs) }),
    };
    const plain: Tool['handler'] = (args, extra) => run(args as z.infer<I>, extra, needs);
    const tool = toolOf(rest.name, bound, texts === undefined ? plain : cleaning(plain, texts));
    return { ...tool, ...(inForce && { inForce: (args) => inForce(args as z.infer<I>, needs) }), definition };
  };
};

// The parts of `extra` that a tool of Colibri needs, checked to be present.

export interface Writing {
  readonly tx: Tx;
  readonly evidence: Evidence;
  /** The number of this call in the ledger. */
  readonly callNo: number;
  readonly log: OwnLog;
  /** The id of the Colibri process that serves the call. */
  readonly instance: string;
  readonly now: string;
}

/** What the SQL functions need to write evidence rows (rows whose digest is in a record of the ledger). */
export type EvidenceWork = Pick<Writing, 'tx' | 'evidence'>;

/** The error of a call that came just before its process began to open the store anew. */
const storeAway = (message: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', message, { retryAfterMs: CORE_LIMITS.beginAnewMs });

/** The parts of `extra` that a writing tool needs. Throws without a store and a ledger, because a writing tool writes evidence. */
export const writing = ({ tx, evidence, call, now }: HandlerExtra): Writing => {
  const { sequenceNo, instance } = call;
  if (tx === undefined || evidence === undefined || sequenceNo === undefined || instance === undefined) {
    throw storeAway('This tool needs the store and its ledger.');
  }
  return { tx, evidence, callNo: sequenceNo, log: evidence.log, instance, now: now() };
};

export const reading = ({ tx, now }: HandlerExtra): { readonly tx: ReadTx; readonly now: string } => {
  if (tx === undefined) throw storeAway('This tool needs the store.');
  return { tx, now: now() };
};
