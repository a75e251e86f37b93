// How questions, change notifications and log messages pass between a client and a server that each speak the legacy protocol (2025-11-25
// and older) or the modern one (2026-07-28). The code reads this table; a test covers each cell. Progress is the same in both protocols.
import type { Era, Peer } from '../../call/peer.js';
import type { Link } from '../link/link.js';

export interface Crossing {
  /**
   * What happens if a server needs input from the client during a call.
   * `relay`: the server's request is sent on to the client.
   * `rounds`: the server's answer lists questions; Colibri asks the client and calls the server again.
   * `suspend`: the server's request becomes the answer to the client; the call goes on when the client calls again.
   * `hand on`: the server's answer lists questions and goes to the client, with a signed `requestState`.
   */
  readonly input: 'relay' | 'rounds' | 'suspend' | 'hand on';
  /** How Colibri learns of changed lists and resources. `told`: the server sends notifications unasked. `listened for`: Colibri subscribes. */
  readonly changes: 'told' | 'listened for';
  /**
   * How log messages pass. `level`: the client's log level is set at the server. `request`: each request names its log level.
   * `one call`: a log message does not say which call it belongs to, so it is passed on only while exactly one call is in flight.
   */
  readonly logging: 'level' | 'request' | 'one call';
}

/** How messages pass between a client and a server: the first key is the client's protocol, the second is the server's. */
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

/** The methods of questions that a server may ask, and the capability that a client must declare for each. */
export const QUESTIONS: Readonly<Record<string, 'roots' | 'sampling' | 'elicitation'>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

export const mayAsk = ({ capabilities }: Pick<Peer, 'capabilities'>, method: string): boolean =>
  Object.hasOwn(QUESTIONS, method) && capabilities[QUESTIONS[method] ?? ''] !== undefined;

/** Those capabilities of a client that servers may use: the ones that let a server ask the client questions. */
export const askable = ({ capabilities }: Pick<Peer, 'capabilities'>): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.values(QUESTIONS).flatMap((key) => {
      const value = capabilities[key];
      return typeof value === 'object' && value !== null ? [[key, value]] : [];
    }),
  );
