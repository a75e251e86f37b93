// How questions, change notifications and log messages pass between a client and a server of each era (protocol 2025-11-25 and
// older, or 2026-07-28 and newer). The code reads this table, and a test covers each cell. Progress works the same in both eras.
import type { Era, Peer } from '../../call/peer.js';
import type { Link } from '../link/link.js';

export interface Crossing {
  /**
   * A server needs input during a call.
   * `relay`: its request is sent on to the client. `rounds`: its answer lists questions; we ask the client and call the server again.
   * `suspend`: its request becomes the answer to the client; the call goes on when the client calls again.
   * `hand on`: its answer lists questions and goes to the client, with a signed `requestState`.
   */
  readonly input: 'relay' | 'rounds' | 'suspend' | 'hand on';
  /** How we learn of changed lists and resources. `told`: the server notifies without being asked. `listened for`: we subscribe. */
  readonly changes: 'told' | 'listened for';
  /**
   * Log messages. `level`: the client's level is set at the server. `request`: each request names its level.
   * `one call`: a message does not say which call it belongs to, so it passes only while one call is in flight.
   */
  readonly logging: 'level' | 'request' | 'one call';
}

/** By the client's era, then the server's. */
export const CROSSINGS: Readonly<Record<Era, Readonly<Record<Era, Crossing>>>> = {
  legacy: {
    legacy: { input: 'relay', changes: 'told', logging: 'level' },
    modern: { input: 'rounds', changes: 'listened for', logging: 'request' },
  },
  modern: {
    legacy: { input: 'suspend', changes: 'told', logging: 'one call' },
    modern: { input: 'hand on', changes: 'listened for', logging: 'request' },
  },
};

export const crossingOf = (peer: Pick<Peer, 'era'>, link: Pick<Link, 'era'>): Crossing => CROSSINGS[peer.era][link.era];

/** The questions that a server may ask, and the capability that a client must declare for each. */
export const QUESTIONS: Readonly<Record<string, 'roots' | 'sampling' | 'elicitation'>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

export const mayAsk = ({ capabilities }: Pick<Peer, 'capabilities'>, method: string): boolean =>
  Object.hasOwn(QUESTIONS, method) && capabilities[QUESTIONS[method] ?? ''] !== undefined;

/** Those of a client's capabilities that servers may use. */
export const askable = ({ capabilities }: Pick<Peer, 'capabilities'>): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.values(QUESTIONS).flatMap((key) => {
      const value = capabilities[key];
      return typeof value === 'object' && value !== null ? [[key, value]] : [];
    }),
  );
