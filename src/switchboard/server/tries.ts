// What became of each time a call was meant to reach its server, for the records: whoever reads them must see what was sent
// and how often.
import type { AttemptEnd } from '../../proof/records.js';
import type { LinkEnd } from '../link/link.js';
import type { Attempt, BackendReply } from './reply.js';

export interface Try {
  readonly how: AttemptEnd;
  /** Ours, or the number of the server's own error. */
  readonly code?: string;
  readonly sent: boolean;
  readonly durationMs: number;
}

/** A reply, and the tries it took: one or two, and as many again for each answer of the client that the server asked for. */
export type TriedReply = BackendReply & { readonly tries: readonly Try[] };

const howOf = (end: LinkEnd): AttemptEnd => {
  if (end.how === 'auth_required' || end.how === 'throttled') return 'refused';
  if (end.how !== 'response') return end.how;
  if ('error' in end) return 'error';
  if (end.result.resultType === 'input_required') return 'input';
  return end.result.isError === true ? 'is_error' : 'result';
};

export const tryOf = (attempt: Attempt, durationMs: number): Try => {
  if (!('answer' in attempt)) return { how: 'cancelled' in attempt ? 'cancelled' : 'refused', sent: false, durationMs };
  const { end, sent } = attempt.answer;
  const isTurnedAway = end.how === 'auth_required' || end.how === 'throttled';
  return { how: howOf(end), sent: sent && !isTurnedAway, durationMs };
};

const codeOf = (reply: BackendReply): string | undefined => {
  if (reply.kind === 'result' || reply.kind === 'input') return undefined;
  if (reply.kind === 'error') return String(reply.error.code);
  return reply.code === 'cancelled' ? undefined : reply.code;
};

/** The reply's code belongs to the last try: that one decided. */
export const withTries = (reply: BackendReply, tries: readonly Try[]): TriedReply => {
  if (reply.kind === 'result') return { kind: 'result', result: reply.result, tries };
  const code = codeOf(reply);
  const last = tries.at(-1);
  const isCoded = code !== undefined && last !== undefined;
  return { ...reply, tries: isCoded ? [...tries.slice(0, -1), { ...last, code }] : tries };
};
