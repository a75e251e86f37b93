// Stage 2: checks that the tool exists, that the mode admits it, and that the arguments fit. A fault is noted on the call, so that
// the refusal is still recorded.
import type { CheckedArguments, ColibriServerContext, ProxiedTool, Tool } from '../call/context.js';
import { NAMELESS } from '../call/request.js';
import { CORE_LIMITS } from '../core/limits.js';
import { nearest } from '../core/nearest.js';
import { RPC } from '../core/rpc-codes.js';
import { onceThere, type Soon } from '../core/soon.js';
import { asError } from '../errors.js';
import { jsonFault } from '../proof/canonical-json.js';
import { badArguments } from './bad-arguments.js';
import type { Call, Stage } from './chain.js';
import { errorBody, type Fault } from './envelope.js';

const rejected = (error: Fault['error'], rpcCode?: number): Fault => ({
  outcome: 'rejected',
  error,
  ...(rpcCode !== undefined && { rpcCode }),
});

const unknownTool = (ctx: ColibriServerContext, name: string): Fault => {
  if (name === NAMELESS) {
    return rejected(errorBody('INVALID_PARAMS', 'tools/call needs a tool name in params.name'), RPC.invalidParams);
  }
  if (ctx.notAdmitted.has(name)) {
    const message = `Tool ${name} is not admitted in mode ${ctx.mode}. Start Colibri in another mode to use it.`;
    return rejected(errorBody('TOOL_NOT_ADMITTED', message, { tool: name, mode: ctx.mode }));
  }
  const down = ctx.switchboard?.downServer?.(name);
  if (down !== undefined) {
    const { server, state, reason, text } = down;
    const message = `Tool ${name} not found: the server ${server} is ${state}, ${text}, so its tools are not known.`;
    const remedy = `Tell the user; \`colibri switchboard\` shows the server.`;
    return rejected(errorBody('TOOL_NOT_FOUND', `${message} ${remedy}`, { server, state, reason }), RPC.invalidParams);
  }
  const near = nearest(name, [...ctx.tools.keys(), ...(ctx.switchboard?.names() ?? [])]);
  const hint = near === undefined ? 'tools/list shows what there is.' : `Did you mean ${near}?`;
  return rejected(errorBody('TOOL_NOT_FOUND', `Tool ${name} not found. ${hint}`), RPC.invalidParams);
};

/** The fault of arguments that cannot be recorded byte for byte; Colibri's own tools refuse them. */
const unrecordable = (problem: string): Fault => {
  const issues = [{ code: 'custom', path: [], message: problem }];
  return rejected(errorBody('INVALID_PARAMS', `schema validation failed: ${problem}`, { issues }));
};

/** The arguments as the tool's schema parses them; if it rejects them as they came, as they were meant. */
const parse = (tool: Tool, args: unknown): { readonly data: unknown } | { readonly fault: Fault } => {
  const { inputSchema } = tool.config;
  const first = inputSchema.safeParse(args);
  if (first.success) return first;
  const read = tool.read(args);
  const isOther = read !== args && jsonFault(read, CORE_LIMITS.argumentDepth) === undefined;
  const second = isOther ? inputSchema.safeParse(read) : first;
  if (second.success) return second;
  return { fault: rejected(badArguments(tool, second.error.issues, isOther ? read : args)) };
};

/** Checks a call of a tool of Colibri or an embedder. Returns a promise only if the tool must find out which other tool is called. */
const check = (ctx: ColibriServerContext, call: Call): Soon<void> => {
  const { request } = call;
  const tool = ctx.tools.get(request.name);
  if (tool === undefined) {
    call.fault = unknownTool(ctx, request.name);
    return undefined;
  }
  call.tool = tool;
  const problem = jsonFault(request.args, CORE_LIMITS.argumentDepth);
  if (problem !== undefined) {
    call.fault = unrecordable(problem);
    return undefined;
  }
  const parsed = parse(tool, request.args === undefined ? {} : request.args);
  if ('fault' in parsed) {
    call.fault = parsed.fault;
    return undefined;
  }
  call.args = parsed.data;
  call.effect = tool.effectOf(parsed.data);
  if (tool.inForce === undefined) return undefined;
  return onceThere(tool.inForce(parsed.data), (definition) => {
    call.definition = definition;
  });
};

/** Notes on the call the result of checking its arguments against the other server's schema. */
const noteChecked = (call: Call, checked: CheckedArguments): void => {
  if ('args' in checked) call.args = checked.args;
  else call.fault = rejected(errorBody('INVALID_PARAMS', checked.problem, checked.details));
};

/** The fault of a call whose tool threw in its schema or in its `effect` function: it counts as a failure of the tool, and is recorded. */
const thrownFault = (thrown: unknown): Fault => ({
  outcome: 'failed',
  error: errorBody('HANDLER_ERROR', asError(thrown).message),
});

/** Checks the arguments against another server's schema. Returns a promise only if the check is asynchronous. */
const checkProxied = (call: Call, proxied: ProxiedTool): Soon<void> => {
  call.effect = 'proxy';
  call.definition = proxied.inForce?.();
  return onceThere(proxied.check(call.request.args), (checked) => noteChecked(call, checked));
};

export const validate = (ctx: ColibriServerContext): Stage => {
  return (call, next) => {
    const { proxied } = call;
    const failed = (thrown: unknown): void => {
      call.fault = thrownFault(thrown);
    };
    try {
      const checking = proxied === undefined ? check(ctx, call) : checkProxied(call, proxied);
      if (checking instanceof Promise) return checking.catch(failed).then(() => next(call));
    } catch (thrown) {
      failed(thrown);
    }
    return next(call);
  };
};
