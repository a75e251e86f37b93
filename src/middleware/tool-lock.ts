// Stage 1: gives each call a ticket for its tool. Handlers of one tool run in order of arrival and never overlap. The ticket covers
// the handler but not the wait for a commit, so that waiting calls can share one transaction for their records.
import type { ColibriServerContext, ProxiedTool } from '../call/context.js';
import { onceThere, type Soon } from '../core/soon.js';
import type { Call, Next, Stage } from './chain.js';
import type { Reply } from './envelope.js';

export interface Ticket {
  /** Resolves when all calls of the same tool that took a ticket earlier have returned it; undefined if there was no such call. */
  readonly turn: Promise<void> | undefined;
  done(): void;
}

export class Tickets {
  /**
   * The queue of each tool, by the tool's name: one function for each call, which lets the call run, in order of arrival. The first call
   * runs.
   */
  readonly #queues = new Map<string, (() => void)[]>();

  take(name: string): Ticket {
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    let wake = (): void => {};
    const turn = queue.length === 0 ? undefined : new Promise<void>((resolve) => (wake = resolve));
    queue.push(wake);
    return { turn, done: () => this.#leave(name, queue, wake) };
  }

  /**
   * Removes a call from its queue, even before its turn; a second removal does nothing. If the removed call was the first, the next one may
   * run.
   */
  #leave(name: string, queue: (() => void)[], wake: () => void): void {
    const place = queue.indexOf(wake);
    if (place < 0) return;
    queue.splice(place, 1);
    // An empty queue is removed: tool names come from callers and must not accumulate.
    if (queue.length === 0) this.#queues.delete(name);
    else if (place === 0) queue[0]?.();
  }

  /** The number of tools for which a call holds a ticket or waits for its turn. */
  get size(): number {
    return this.#queues.size;
  }
}

/**
 * True for calls that go to other servers, whether directly or through a tool of Colibri. They take no ticket: a slow server must
 * not delay another one, and each server has a queue of its own.
 */
const goesElsewhere = ({ tools, switchboard }: ColibriServerContext, call: Call): Soon<boolean> => {
  if (call.proxied !== undefined) return true;
  const own = tools.get(call.request.name);
  if (own !== undefined) return own.config.effect === 'proxy';
  return onceThere(switchboard?.find(call.request.name), (tool) => isProxied(call, tool));
};

const isProxied = (call: Call, tool: ProxiedTool | undefined): boolean => {
  call.proxied = tool;
  return tool !== undefined;
};

/** Runs all later stages while the call holds its ticket, so that an embedder's observer (sink) sees a tool's calls one after the other. */
const wholeCall = async (ticket: Ticket, call: Call, next: Next): Promise<Reply> => {
  await ticket.turn;
  try {
    return await next(call);
  } finally {
    ticket.done();
  }
};

/** Stage 1: takes a ticket for the call. The dispatch stage returns the ticket when the handler has ended, the chain if dispatch did not. */
export const toolLock = (ctx: ColibriServerContext): Stage => {
  const locked = (call: Call, next: Next): Soon<Reply> => {
    const ticket = ctx.tickets.take(call.request.name);
    if (ctx.hasSink) return wholeCall(ticket, call, next);
    call.ticket = ticket;
    return next(call);
  };
  return (call, next) =>
    onceThere(goesElsewhere(ctx, call), (elsewhere) => (elsewhere ? next(call) : locked(call, next)));
};
