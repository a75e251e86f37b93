// Tests tickets: calls are served in order of arrival, and no call waits for a ticket that was returned.
import { describe, expect, it } from 'vitest';
import { type Ticket, Tickets } from './tool-lock.js';

/** Names of tickets in the order in which their turn comes. */
const rig = () => {
  const tickets = new Tickets();
  const turns: string[] = [];
  const take = (name: string, tool = 'tool'): Ticket => {
    const ticket = tickets.take(tool);
    if (ticket.turn === undefined) turns.push(name);
    else void ticket.turn.then(() => turns.push(name));
    return ticket;
  };
  const seen = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return turns;
  };
  return { tickets, take, seen };
};

describe('tickets of one name', () => {
  it('come up one after the other, in the order in which they were taken', async () => {
    const { take, seen } = rig();
    const [a, b, c] = [take('a'), take('b'), take('c')];
    expect(await seen()).toEqual(['a']);
    a.done();
    expect(await seen()).toEqual(['a', 'b']);
    b.done();
    c.done();
    expect(await seen()).toEqual(['a', 'b', 'c']);
  });

  it('one that was given back before its turn is passed over, and lets nobody past those before it', async () => {
    const { take, seen, tickets } = rig();
    const [a, b, c] = [take('a'), take('b'), take('c')];
    b.done();
    expect(await seen()).toEqual(['a']);
    a.done();
    expect(await seen()).toEqual(['a', 'c']);
    c.done();
    expect(tickets.size).toBe(0);
  });

  it('one that is given back twice gives back one turn', async () => {
    const { take, seen } = rig();
    const [a, , c] = [take('a'), take('b'), take('c')];
    a.done();
    a.done();
    expect(await seen()).toEqual(['a', 'b']);
    c.done();
  });

  it('begins anew when all are back', async () => {
    const { take, seen, tickets } = rig();
    take('a').done();
    expect(tickets.size).toBe(0);
    take('b');
    expect(await seen()).toEqual(['a', 'b']);
  });
});

it('names do not wait for each other', async () => {
  const { take, seen, tickets } = rig();
  take('a', 'one');
  take('b', 'other');
  expect(await seen()).toEqual(['a', 'b']);
  expect(tickets.size).toBe(2);
});
