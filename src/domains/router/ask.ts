// What the four router tools share: their arguments and result shapes, how they reach the switchboard (the part of Colibri that calls other
// MCP servers), and how the response of another server, or its absence, becomes the result of a router tool.
import * as z from 'zod';
import { REFUSAL_KEY, type RoutedAnswer } from '../../call/answer.js';
import type { HandlerExtra } from '../../call/context.js';
import { bounded, type Frozen } from '../../call/define-tool.js';
import { repairValue } from '../../call/from-text.js';
import type { Router, Unanswerable } from '../../call/routing.js';
import { ColibriError } from '../../errors.js';
import { bodyOf, type ErrorBody, errorBody } from '../../middleware/envelope.js';
import { HandedOn, InputNeeded } from '../../middleware/handed-on.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { flagField, pattern, textField } from '../shapes.js';

/** A server, tool or route name: any text. */
export const toolNameField = z.string().min(1).max(DOMAIN_LIMITS.routerNameChars);

/**
 * The arguments for another server's tool: an object, or the object as JSON text. Clients are told of the text alone, because an object of any
 * members cannot be described to a client that needs strict schemas.
 */
export const argumentsField = bounded(
  z
    .unknown()
    .transform((value) => repairValue(['object'], value))
    .pipe(z.record(z.string(), z.unknown()))
    .meta({ type: 'string', description: 'an object, as JSON text or as it is' }),
  { form: 'an object, or its JSON text', takes: ['{}', '{"a": [1]}'], refuses: ['', 'x', '[]', 'null', '5'] },
);

const HEALTH = ['STARTING', 'HEALTHY', 'UNHEALTHY', 'QUARANTINE', 'PROBATION'];

export const serverState = pattern(
  new RegExp(`^(${HEALTH.join('|')})$`),
  HEALTH.map((state) => `\`${state}\``).join(' '),
).nullable();

export const attemptShape = z
  .strictObject({
    server: textField,
    tool: textField,
    how: textField.describe('How it ended.'),
    code: textField.optional().describe('The code of an error.'),
    sent: flagField.describe('Whether anything was handed to the server.'),
    duration_ms: z.number().nonnegative(),
    approval: textField.optional().describe('The approval that the call used up.'),
    reason: textField.optional().describe('In a refusal of a route.'),
  })
  .meta({ named: 'Attempt' });

/** The shape of `data` in the results of router_call and router_fallback. */
export const handedShape = z.strictObject({
  server: textField,
  tool: textField,
  attempts: z.array(attemptShape),
  is_error: flagField.describe("The tool's own `isError`."),
});

/** The details of a router tool's error, if the called server itself returned an error. */
export const refusedDetails = {
  server: textField,
  tool: textField,
  rpc_code: z.int(),
  attempts: z.array(attemptShape),
};

/** Waits for the router, which calls other servers; undefined if no switchboard is configured. */
export type FindRouter = () => Promise<Router | undefined>;

const noSwitchboard = (): ColibriError =>
  new ColibriError('TOOL_UNAVAILABLE', 'There is no switchboard, so no other server can be reached.', {
    remedy: 'A person adds one with `colibri switchboard add`.',
  });

/** Returns the router, or throws if there is no switchboard. For the router tools that call no server. */
export const routerOrThrow = async (find: FindRouter): Promise<Router> => {
  const router = await find();
  if (router === undefined) throw noSwitchboard();
  return router;
};

export const isUnanswerable = (answer: object): answer is Unanswerable => Object.hasOwn(answer, 'problem');

export const unanswerable = ({ problem, details }: Unanswerable): ColibriError =>
  new ColibriError('INVALID_PARAMS', problem, details === undefined ? {} : { details });

/** The `data` of a routed call: the server that answered last, and every attempt. */
const dataOf = ({ route }: RoutedAnswer, isError: boolean): Frozen<z.infer<typeof handedShape>> => {
  const last = route.attempts.at(-1);
  return {
    server: last?.server ?? '',
    tool: last?.tool ?? '',
    attempts: fitPage(route.attempts).rows,
    is_error: isError,
  };
};

/**
 * The server's content blocks; if there are none, its structured content as a text block, because the structured content of the result is
 * Colibri's own.
 */
const blocksOf = ({ content, structuredContent }: Readonly<Record<string, unknown>>): readonly unknown[] => {
  if (Array.isArray(content) && content.length > 0) return content;
  return structuredContent === undefined ? [] : [{ type: 'text', text: JSON.stringify(structuredContent) }];
};

const answered = (handed: Extract<RoutedAnswer, { kind: 'result' }>): HandedOn => {
  const data = dataOf(handed, handed.result.isError === true);
  return new HandedOn({ kind: 'ok', envelope: { ok: true, data } }, blocksOf(handed.result), data.is_error);
};

/** The result of a call that failed. `code` is the error code that the call's record names; by default the code of `error`. */
const failing = (
  kind: HandedOn['ending']['kind'],
  error: ErrorBody,
  blocks?: readonly unknown[],
  code = error.code,
): HandedOn => new HandedOn({ kind, code, envelope: { ok: false, error } }, blocks);

/** The result if the server returned an error: shortened in Colibri's envelope, complete in a content block after the envelope. */
const refusedByServer = (handed: Extract<RoutedAnswer, { kind: 'error' }>): HandedOn => {
  const { code, message } = handed.error;
  const { server, tool, attempts } = dataOf(handed, true);
  const words = `${tool} of ${server} answered with error ${code}: ${message}`;
  const error = errorBody('HANDLER_ERROR', words, { server, tool, rpc_code: code, attempts });
  return failing('domain_error', error, [{ type: 'text', text: JSON.stringify(handed.error) }], String(code));
};

/** Turns what the router returned into a tool result. `handed` is undefined if there is no switchboard. */
const outcomeOf = (handed: RoutedAnswer | Unanswerable | undefined): HandedOn | InputNeeded => {
  if (handed === undefined) return failing('refused', bodyOf(noSwitchboard()));
  if (isUnanswerable(handed)) return failing('rejected', bodyOf(unanswerable(handed)));
  if (handed.kind === 'result') return answered(handed);
  if (handed.kind === 'large') return answered({ kind: 'result', result: handed.large.whole(), route: handed.route });
  if (handed.kind === 'input') return new InputNeeded(handed.result);
  if (handed.kind === 'error') return refusedByServer(handed);
  const { error } = handed.refusal._meta[REFUSAL_KEY];
  const envelope = { ok: false, error } as const;
  return new HandedOn({ kind: handed.sent ? 'failed' : 'refused', code: error.code, envelope, last: handed.last });
};

/** Passes a call on to another server and returns the server's result; notes in the call's record where the call went. */
export const handOn = async (
  find: FindRouter,
  extra: HandlerExtra,
  ask: (router: Router) => Promise<RoutedAnswer | Unanswerable>,
) => {
  const router = await find();
  const handed = router && (await ask(router));
  const outcome = outcomeOf(handed);
  if (handed !== undefined && !isUnanswerable(handed)) {
    extra.note({ route: handed.route });
    outcome.unserved = handed.unserved;
  }
  return outcome;
};
