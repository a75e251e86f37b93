// A call that another server answered, or did not, as the envelope of router_call and router_fallback.

import { REFUSAL_KEY, type RoutedAnswer } from '../../call/answer.js';
import type { Unanswerable } from '../../call/routing.js';
import { errorBody } from '../../middleware/envelope.js';
import { HandedOn, InputNeeded } from '../../middleware/handed-on.js';
import type { RouteAttempt } from '../../proof/records.js';
import { fitPage } from '../page.js';
import { isUnanswerable, NO_SWITCHBOARD } from './ask.js';

export interface HandedData {
  readonly server: string;
  readonly tool: string;
  readonly attempts: readonly RouteAttempt[];
  readonly is_error: boolean;
}

/** Who had the last word, and all who were asked. */
const dataOf = ({ route }: RoutedAnswer, isError: boolean): HandedData => {
  const last = route.attempts.at(-1);
  return {
    server: last?.server ?? '',
    tool: last?.tool ?? '',
    attempts: fitPage(route.attempts).rows,
    is_error: isError,
  };
};

/** A server that gave only structured content has it read as text: ours is the only one a result can hold. */
const blocksOf = ({ content, structuredContent }: Readonly<Record<string, unknown>>): readonly unknown[] => {
  if (Array.isArray(content) && content.length > 0) return content;
  return structuredContent === undefined ? [] : [{ type: 'text', text: JSON.stringify(structuredContent) }];
};

const answered = (handed: Extract<RoutedAnswer, { kind: 'result' }>): HandedOn => {
  const data = dataOf(handed, handed.result.isError === true);
  return new HandedOn({ kind: 'ok', envelope: { ok: true, data } }, blocksOf(handed.result));
};

/** The server's own no: short in the envelope, whole behind it. */
const refusedByServer = (handed: Extract<RoutedAnswer, { kind: 'error' }>): HandedOn => {
  const { code, message } = handed.error;
  const { server, tool, attempts } = dataOf(handed, true);
  const words = `${tool} of ${server} answered with error ${code}: ${message}`;
  const error = errorBody('HANDLER_ERROR', words, { server, tool, rpc_code: code, attempts });
  const whole = { type: 'text', text: JSON.stringify(handed.error) };
  return new HandedOn({ kind: 'domain_error', code: String(code), envelope: { ok: false, error } }, [whole]);
};

const rejected = ({ problem, details }: Unanswerable): HandedOn =>
  new HandedOn({
    kind: 'rejected',
    code: 'INVALID_PARAMS',
    envelope: { ok: false, error: errorBody('INVALID_PARAMS', problem, details) },
  });

const { message, remedy } = NO_SWITCHBOARD;
const NOBODY = errorBody('TOOL_UNAVAILABLE', `${message} ${remedy}`, { remedy });

/** `undefined`: there is no switchboard. */
export const outcomeOf = (handed: RoutedAnswer | Unanswerable | undefined): HandedOn | InputNeeded => {
  if (handed === undefined)
    return new HandedOn({ kind: 'refused', code: NOBODY.code, envelope: { ok: false, error: NOBODY } });
  if (isUnanswerable(handed)) return rejected(handed);
  if (handed.kind === 'result') return answered(handed);
  if (handed.kind === 'input') return new InputNeeded(handed.result);
  if (handed.kind === 'error') return refusedByServer(handed);
  const { error } = handed.refusal._meta[REFUSAL_KEY];
  return new HandedOn({ kind: handed.sent ? 'failed' : 'refused', code: error.code, envelope: { ok: false, error } });
};
