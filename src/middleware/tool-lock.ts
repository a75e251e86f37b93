// Stage 1: gives each call a ticket for its tool. Handlers of one tool run in order of arrival and never overlap. The ticket covers
// the handler but not the wait for a commit, so that waiting calls can share one transaction for their records.
import type { ColibriServerContext, ProxiedTool } from '../call/context.js';
import type { Call, Next, Stage } from './chain.js';
import type { Reply } from './envelope.js';

export interface Ticket {
  /** Resolves when every earlier ticket of the same tool is returned; undefined if there was none. */
  readonly turn: Promise<void> | undefined;
  done(): void;
}

/** The queue of one tool name: the current ticket and those that wait. */
class TicketQueue {
  current: OneTicket | undefined;
  readonly waiting: OneTicket[] = [];
}

class OneTicket implements Ticket {
  readonly turn: Promise<void> | undefined;
  isDone = false;
  wake: () => void = () => {};
  readonly #onDone: (ticket: OneTicket) => void;

  constructor(mustWait: boolean, onDone: (ticket: OneTicket) => void) {
    this.#onDone = onDone;
    if (!mustWait) return;
    this.turn = new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  readonly done = (): void => {
    if (this.isDone) return;
    this.isDone = true;
    this.#onDone(this);
  };
}

export class Tickets {
  readonly #queues = new Map<string, TicketQueue>();

  take(name: string): Ticket {
    const queue = this.#queues.get(name);
    if (queue !== undefined) {
      const ticket = new OneTicket(true, (done) => this.#next(name, queue, done));
      queue.waiting.push(ticket);
      return ticket;
    }
    const fresh = new TicketQueue();
    fresh.current = new OneTicket(false, (done) => this.#next(name, fresh, done));
    this.#queues.set(name, fresh);
    return fresh.current;
  }

  /** Gives the turn to the next ticket; skips tickets that were returned before their turn. */
  #next(name: string, queue: TicketQueue, done: OneTicket): void {
    if (queue.current !== done) return;
    do queue.current = queue.waiting.shift();
    while (queue.current?.isDone);
    // An empty queue is removed: tool names come from callers and must not accumulate.
    if (queue.current === undefined) this.#queues.delete(name);
    else queue.current.wake();
  }

  /** The number of tool names with a ticket in use. */
  get size(): number {
    return this.#queues.size;
  }
}

/**
 * True for calls that go to other servers, whether directly or through a tool of Colibri. They take no ticket: a slow server must
 * not delay another one, and each server has a queue of its own.
 */
const goesElsewhere = ({ tools, switchboard }: ColibriServerContext, call: Call): boolean | Promise<boolean> => {
  if (call.proxied !== undefined) return true;
  const own = tools.get(call.request.name);
  if (own !== undefined) return own.config.effect === 'proxy';
  const found = switchboard?.find(call.request.name);
  return found instanceof Promise ? found.then((tool) => isProxied(call, tool)) : isProxied(call, found);
};

const isProxied = (call: Call, tool: ProxiedTool | undefined): boolean => {
  call.proxied = tool;
  return tool !== undefined;
};

/** Holds the ticket from enter to exit, so that an embedder's sink sees the calls of a tool one after the other. */
const wholeCall = async (ticket: Ticket, call: Call, next: Next): Promise<Reply> => {
  await ticket.turn;
  try {
    return await next(call);
  } finally {
    ticket.done();
  }
};

/** Stage 1. The dispatch stage returns the ticket when the handler has ended; this stage returns it if dispatch did not. */
export const toolLock = (ctx: ColibriServerContext): Stage => {
  const locked = (call: Call, next: Next): Promise<Reply> => {
    const ticket = ctx.tickets.take(call.request.name);
    if (ctx.hasSink) return wholeCall(ticket, call, next);
    call.ticket = ticket;
    try {
      const reply = next(call);
      reply.then(ticket.done, ticket.done);
      return reply;
    } catch (thrown) {
      ticket.done();
      throw thrown;
    }
  };
  return (call, next) => {
    const elsewhere = goesElsewhere(ctx, call);
    if (typeof elsewhere !== 'boolean') return elsewhere.then((is) => (is ? next(call) : locked(call, next)));
    return elsewhere ? next(call) : locked(call, next);
  };
};
