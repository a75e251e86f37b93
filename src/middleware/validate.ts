// Stage 2: checks that the tool exists, that the mode admits it, and that the arguments fit. A fault is noted on the call, so that
// the refusal is still recorded.
import type * as z from 'zod';
import type { CheckedArguments, ColibriServerContext, ProxiedTool, Tool } from '../call/context.js';
import { NAMELESS } from '../call/request.js';
import { CORE_LIMITS } from '../core/limits.js';
import { nearest } from '../core/nearest.js';
import { RPC } from '../core/rpc-codes.js';
import { asError } from '../errors.js';
import { jsonFault } from '../proof/canonical-json.js';
import { name } from '../proof/records.js';
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
  const near = nearest(name, [...ctx.tools.keys(), ...(ctx.switchboard?.names() ?? [])]);
  const hint = near === undefined ? 'tools/list shows what there is.' : `Did you mean ${near}?`;
  return rejected(errorBody('TOOL_NOT_FOUND', `Tool ${name} not found. ${hint}`), RPC.invalidParams);
};

const keysOf = (tool: Tool): string[] => Object.keys(tool.config.inputSchema.shape);

const isMissing = ({ code, path }: z.core.$ZodIssue, args: unknown): boolean =>
  code === 'invalid_type' &&
  path.length === 1 &&
  typeof args === 'object' &&
  args !== null &&
  !Object.hasOwn(args, path[0] as PropertyKey);

/** One Zod issue as a sentence: the path, the problem, and the nearest valid name. */
const sentence = (tool: Tool, issue: z.core.$ZodIssue, args: unknown): string => {
  const place = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  if (isMissing(issue, args)) return `${issue.path.join('.')} is missing`;
  if (issue.code !== 'unrecognized_keys') return `${place}${issue.message}`;
  const hints = issue.keys.map((key) => {
    const near = issue.path.length === 0 ? nearest(key, keysOf(tool)) : undefined;
    return near === undefined ? `"${key}"` : `"${key}" (did you mean "${near}"?)`;
  });
  return `${place}unknown ${hints.length === 1 ? 'key' : 'keys'} ${hints.join(', ')}`;
};

/** Shortens a Zod issue: Zod names every unknown key twice, and a caller may have sent a hundred thousand unknown keys. */
const short = (issue: z.core.$ZodIssue): z.core.$ZodIssue =>
  issue.code === 'unrecognized_keys'
    ? { ...issue, keys: issue.keys.slice(0, CORE_LIMITS.issues).map(name), message: 'unknown keys' }
    : issue.code === 'invalid_union'
      ? { ...issue, errors: [] }
      : issue;

const badArguments = (tool: Tool, issues: readonly z.core.$ZodIssue[], args: unknown): Fault => {
  const shown = issues.slice(0, CORE_LIMITS.issues).map(short);
  const message = `schema validation failed: ${shown.map((issue) => sentence(tool, issue, args)).join('; ')}`;
  return rejected(errorBody('INVALID_PARAMS', message, { issues: shown }));
};

/** The fault of arguments that cannot be recorded byte for byte; Colibri's own tools refuse them. */
const unrecordable = (problem: string): Fault => {
  const issues = [{ code: 'custom', path: [], message: problem }];
  return rejected(errorBody('INVALID_PARAMS', `schema validation failed: ${problem}`, { issues }));
};

const check = (ctx: ColibriServerContext, call: Call): void => {
  const { request } = call;
  const tool = ctx.tools.get(request.name);
  if (tool === undefined) {
    call.fault = unknownTool(ctx, request.name);
    return;
  }
  call.tool = tool;
  const problem = jsonFault(request.args, CORE_LIMITS.argumentDepth);
  if (problem !== undefined) {
    call.fault = unrecordable(problem);
    return;
  }
  const parsed = tool.config.inputSchema.safeParse(request.args === undefined ? {} : request.args);
  if (!parsed.success) {
    call.fault = badArguments(tool, parsed.error.issues, request.args ?? {});
    return;
  }
  call.args = parsed.data;
  call.effect = tool.effectOf(parsed.data);
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
const checkProxied = (call: Call, proxied: ProxiedTool): Promise<void> | undefined => {
  call.effect = 'proxy';
  const checked = proxied.check(call.request.args);
  if (checked instanceof Promise) return checked.then((late) => noteChecked(call, late));
  noteChecked(call, checked);
  return undefined;
};

export const validate = (ctx: ColibriServerContext): Stage => {
  return (call, next) => {
    const { proxied } = call;
    const failed = (thrown: unknown): void => {
      call.fault = thrownFault(thrown);
    };
    try {
      if (proxied === undefined) check(ctx, call);
      else {
        const checking = checkProxied(call, proxied);
        if (checking !== undefined) return checking.catch(failed).then(() => next(call));
      }
    } catch (thrown) {
      failed(thrown);
    }
    return next(call);
  };
};
