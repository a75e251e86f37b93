// Helpers for the errors that all domains return: a message that says what to do, and calls that the client can send as they are.
import { DomainError } from '../middleware/envelope.js';
import { DOMAIN_LIMITS } from './limits.js';

/** A tool call that the client can send as it is, and that will succeed. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export const nextCall = (tool: string, args: NextCall['arguments'] = {}): NextCall => ({ tool, arguments: args });

/** Shortens a name for an error message: a long message is cut at its end, and the end holds the advice. */
export const short = (name: string): string =>
  name.length <= DOMAIN_LIMITS.shownNameChars ? name : `${name.slice(0, DOMAIN_LIMITS.shownNameChars).toWellFormed()}…`;

export const few = (ids: readonly string[], between = ', '): string =>
  ids.length <= DOMAIN_LIMITS.shownIds + 1
    ? ids.join(between)
    : `${ids.slice(0, DOMAIN_LIMITS.shownIds).join(between)} and ${ids.length - DOMAIN_LIMITS.shownIds} more`;

/** Returns `calls`, or `instead` if `calls` (which repeat the caller's texts) would make the error larger than a result may be. */
export const fitting = (
  calls: readonly NextCall[],
  instead: readonly NextCall[],
  details?: Readonly<Record<string, unknown>>,
): readonly NextCall[] => {
  const bytes = Buffer.byteLength(JSON.stringify(details === undefined ? calls : { ...details, next: calls }));
  return bytes <= DOMAIN_LIMITS.resultBytes - DOMAIN_LIMITS.errorEnvelopeBytes ? calls : instead;
};

export const noTask = (code: 'TASK_NOT_FOUND' | 'ERR_NOT_FOUND', ...ids: readonly string[]): DomainError =>
  new DomainError(code, `There is no task ${few(ids)}. task_list shows what there is.`, {
    missing: ids,
    next: [nextCall('task_list', { project: '*' })],
  });
