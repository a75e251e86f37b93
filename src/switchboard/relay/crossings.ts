// What crosses between a client and a server of either era, and how: the one table that the code asks and that a test walks
// cell by cell. Progress needs no row: each hop has its own token, in both eras.
import type { Era, Peer } from '../../call/peer.js';
import type { Link } from '../link/link.js';

export interface Crossing {
  /**
   * A server that needs to know something during a call.
   * `relay`: it asks, the client is asked. `rounds`: its answer says what it needs; the client is asked, and it is called again.
   * `suspend`: it asks; the call is answered with what it needs and goes on when the client calls again.
   * `hand on`: its answer says what it needs, and goes to the client under our seal.
   */
  readonly input: 'relay' | 'rounds' | 'suspend' | 'hand on';
  /** How changes of lists and resources are heard of: servers of the old era tell everybody. */
  readonly changes: 'told' | 'listened for';
  /**
   * Log messages. `level`: the client's level is set at the server. `request`: each request says what it wants.
   * `one call`: as nobody knows which call a message belongs to, it passes only while there is just one.
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

/** What a server may ask for, and the capability by which a client says that it may be asked. */
export const QUESTIONS: Readonly<Record<string, 'roots' | 'sampling' | 'elicitation'>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

export const mayAsk = ({ capabilities }: Pick<Peer, 'capabilities'>, method: string): boolean =>
  Object.hasOwn(QUESTIONS, method) && capabilities[QUESTIONS[method] ?? ''] !== undefined;

/** Of a client's capabilities those that servers may use. */
export const askable = ({ capabilities }: Pick<Peer, 'capabilities'>): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.values(QUESTIONS).flatMap((key) => {
      const value = capabilities[key];
      return typeof value === 'object' && value !== null ? [[key, value]] : [];
    }),
  );
