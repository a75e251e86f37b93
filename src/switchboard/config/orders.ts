// What a person's commands ask of running processes: to restart a server, or to try one again now. The orders are in a file in the user's state
// directory, which the processes watch; a repository cannot write there. An order names one process, and is obeyed once, soon or never.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors.js';
import { changeState, type HeldState, type StateFile } from '../../files/held-file.js';
import type { PersonsWish } from '../health/event.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

export interface ServerOrder {
  readonly id: string;
  /** The process that is to obey. */
  readonly instance: string;
  readonly server: string;
  readonly what: PersonsWish;
  /** Who asks. */
  readonly by: string;
  readonly at: string;
}

interface Orders {
  readonly version: 1;
  readonly orders: readonly ServerOrder[];
}

export const ordersFile = (stateDir: string): string => join(stateDir, 'orders.json');

const MEMBERS = ['id', 'instance', 'server', 'by', 'at'] as const;

const isOrder = (value: unknown): value is ServerOrder => {
  if (typeof value !== 'object' || value === null) return false;
  const order = value as Readonly<Record<string, unknown>>;
  return MEMBERS.every((key) => typeof order[key] === 'string') && (order.what === 'retry' || order.what === 'restart');
};

const parse = (text: string): Orders | undefined => {
  const { orders } = JSON.parse(text) as { orders?: unknown };
  return Array.isArray(orders) ? { version: 1, orders: orders.filter(isOrder) } : undefined;
};

const fileIn = (stateDir: string): StateFile<Orders> => ({ path: ordersFile(stateDir), parse });

/** Whether an order is still to be obeyed. A clock that stepped makes an order old, or of the future: neither is obeyed. */
const isDue = ({ at }: ServerOrder, nowMs: number): boolean =>
  Math.abs(nowMs - Date.parse(at)) <= SWITCHBOARD_LIMITS.orderMs;

/** The orders for a process that are still to be obeyed; none if the file cannot be read. */
export const ordersFor = (stateDir: string, instance: string, nowMs: number): readonly ServerOrder[] =>
  (quietly(() => parse(readFileSync(ordersFile(stateDir), 'utf8')))?.orders ?? []).filter(
    (order) => order.instance === instance && isDue(order, nowMs),
  );

/** Adds orders and drops those that nobody obeys any more. */
export const addOrders = (held: HeldState, added: readonly Omit<ServerOrder, 'id'>[], nowMs: number): void =>
  changeState<Orders>(held, fileIn(held.dir), (now) => ({
    version: 1,
    orders: [
      ...(now?.orders ?? []).filter((order) => isDue(order, nowMs)),
      ...added.map((order) => ({ id: randomUUID(), ...order })),
    ],
  }));
