// What each row is to reach: at most, or at least, as the row's `better` says. A row that is not here is measured to be known.

import { availableParallelism } from 'node:os';

/** Machines of a team share the cores of this one with the database server: half of them are the server's. */
const FOUR_NODES = 0.9 * Math.min(4, availableParallelism() / 2);

/** @type {Readonly<Record<string, number>>} */
export const GOALS = {
  ping: 1.0,
  'in-flight': 1.4,
  durability: 0.7,
  start: 1.0,
  memory: 1.08,
  create: 0.35,
  queue: 1.5,
  'queue-mine': 1.5,
  list: 1.5,
  'list-filtered': 1.5,
  verify: 0.6,
  proof: 2,
  append: 1.2,
  reputation: 1.5,
  switchboard: 1.1,
  proxied: 2.7,
  'proxied-bare': 0.95,
  'proxied-in-flight-alive': 1.3,
  redaction: 1.05,
  hanging: 1.1,
  'hanging-list': 1.1,
  'large-freeze': 20,
  'crowd-4': 50,
  'crowd-8': 50,
  'postgres-statements': 1.05,
  'postgres-4': FOUR_NODES,
  'postgres-waits': 0,
  'postgres-claim': 1.5,
};

/** Goals where the reference is another build. @type {Readonly<Record<string, number>>} */
export const GOALS_AGAINST = { 'crowd-4-calls': 1.4 };
