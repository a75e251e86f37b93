// Counts the calls of one route.
import type { RouteStats } from '../../call/routing.js';
import type { RouteEnd } from './chain.js';

type Counts = Pick<RouteStats, 'calls' | 'answered' | 'fell_back' | 'exhausted' | 'unknown'>;

export class RouteCounts {
  now: Counts = { calls: 0, answered: 0, fell_back: 0, exhausted: 0, unknown: 0 };

  add({ reply, isFallback }: { readonly reply: RouteEnd['reply']; readonly isFallback: boolean }): void {
    const isAnswered = reply.kind !== 'refused';
    const has = (code: string): number => (reply.kind === 'refused' && reply.code === code ? 1 : 0);
    const { now } = this;
    this.now = {
      calls: now.calls + 1,
      answered: now.answered + (isAnswered ? 1 : 0),
      fell_back: now.fell_back + (isAnswered && isFallback ? 1 : 0),
      exhausted: now.exhausted + has('FALLBACK_CHAIN_EXHAUSTED'),
      unknown: now.unknown + has('OUTCOME_UNKNOWN'),
    };
  }
}
