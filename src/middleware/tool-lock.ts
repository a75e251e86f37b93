// Stage 1: a ticket per tool name. Handlers of one tool start in arrival order and never overlap. The ticket
// guards the handler, not the wait for a commit: calls that wait share one transaction for their records.
import type { ColibriServerContext, ProxiedTool } from '../call/context.js';
import type { Call, Next, Stage } from './chain.js';
import type { Reply } from './envelope.js';

export interface Ticket {
  /** Resolves when every earlier ticket of this name is done; absent when there was none. */
  readonly turn: Promise<void> | undefined;
  done(): void;
}

/** The tickets of one name: whose turn it is, and who waits behind. */
class Line {
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
  readonly #lines = new Map<string, Line>();

  take(name: string): Ticket {
    const line = this.#lines.get(name);
    if (line !== undefined) {
      const ticket = new OneTicket(true, (done) => this.#next(name, line, done));
      line.waiting.push(ticket);
      return ticket;
    }
    const fresh = new Line();
    fresh.current = new OneTicket(false, (done) => this.#next(name, fresh, done));
    this.#lines.set(name, fresh);
    return fresh.current;
  }

  /** One that was given back before its turn is passed over when the turn comes. */
  #next(name: string, line: Line, done: OneTicket): void {
    if (line.current !== done) return;
    do line.current = line.waiting.shift();
    while (line.current?.isDone);
    // The last one out removes the name: names come from callers and must not pile up.
    if (line.current === undefined) this.#lines.delete(name);
    else line.current.wake();
  }

  /** Names with a ticket out. */
  get size(): number {
    return this.#lines.size;
  }
}

/**
 * Calls that go to other servers take no ticket, whether they name the tool or have it called by one of ours: a slow server
 * must never hold up another, and has permits of its own.
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

/** With an embedder's sink the ticket is held from enter to exit, so that the sink sees whole calls in order. */
const wholeCall = async (ticket: Ticket, call: Call, next: Next): Promise<Reply> => {
  await ticket.turn;
  try {
    return await next(call);
  } finally {
    ticket.done();
  }
};

/** Dispatch gives the ticket back when the handler has ended; here it is made sure of. */
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
