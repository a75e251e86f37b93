// Stage 1: a ticket per tool name. Handlers of one tool start in arrival order and never overlap. The ticket
// guards the handler, not the wait for a commit: calls that wait share one transaction for their records.
import type { ColibriServerContext, ProxiedTools } from '../context.js';
import type { Call, Stage } from './chain.js';

export interface Ticket {
  /** Resolves when every earlier ticket of this name is done; absent when there was none. */
  readonly turn: Promise<void> | undefined;
  done(): void;
}

export class Tickets {
  readonly #tails = new Map<string, Promise<void>>();

  take(name: string): Ticket {
    const turn = this.#tails.get(name);
    let done = () => {};
    const own = new Promise<void>((resolve) => {
      done = resolve;
    });
    const tail = turn === undefined ? own : turn.then(() => own);
    this.#tails.set(name, tail);
    // The last one out removes the name: names come from callers and must not pile up.
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    });
    return { turn, done };
  }

  /** Names with a ticket out. */
  get size(): number {
    return this.#tails.size;
  }
}

const findProxied = async (switchboard: ProxiedTools, call: Call): Promise<boolean> => {
  const proxied = await switchboard.find(call.name);
  if (proxied !== undefined) call.proxied = proxied;
  return proxied !== undefined;
};

/**
 * Calls that go to other servers take no ticket, whether they name the tool or have it called by one of ours: a slow server
 * must never hold up another, and has permits of its own.
 */
const goesElsewhere = ({ tools, switchboard }: ColibriServerContext, call: Call): boolean | Promise<boolean> => {
  if (call.proxied !== undefined) return true;
  const own = tools.get(call.name);
  if (own !== undefined) return own.config.effect === 'proxy';
  return switchboard !== undefined && findProxied(switchboard, call);
};

/**
 * Dispatch gives the ticket back when the handler has ended. With an embedder's sink it is held from enter to exit, so
 * that the sink sees whole calls in order.
 */
export const toolLock = (ctx: ColibriServerContext): Stage => {
  return async (call, next) => {
    const elsewhere = goesElsewhere(ctx, call);
    if (elsewhere === true || (elsewhere !== false && (await elsewhere))) return next(call);
    const ticket = ctx.tickets.take(call.name);
    call.ticket = ctx.hasSink ? { turn: ticket.turn, done: () => {} } : ticket;
    if (ctx.hasSink) await ticket.turn;
    try {
      return await next(call);
    } finally {
      ticket.done();
    }
  };
};
