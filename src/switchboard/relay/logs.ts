// Log messages of servers on their way to the client, as crossings.ts says.

import type { Peer } from '../../call/peer.js';
import type { JsonObject } from '../../proof/json-object.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Link } from '../link/link.js';
import { crossingOf } from './crossings.js';
import { isWanted, louder } from './log-levels.js';

export interface LoggingServer {
  readonly link: Link | undefined;
  /** Clients whose requests it works on. */
  readonly peers: readonly Peer[];
}

const hasLogging = (link: Link): boolean => link.era === 'legacy' && link.capabilities.logging !== undefined;

export class RelayLogs {
  /** What a client of the old era has set for the connection. */
  #level: string | undefined;
  /** The most that anybody has wanted from servers of the old era. */
  #wanted: string | undefined;

  /** For calls on behalf of a client of the old era, which says nothing in its requests. */
  get level(): string | undefined {
    return this.#level;
  }

  set(level: string, links: readonly Link[]): void {
    this.#level = level;
    this.#wanted = level;
    for (const link of links) this.greet(link);
  }

  /** A request of the new era wants this much. */
  want(level: string, links: readonly Link[]): void {
    const wanted = louder(this.#wanted, level);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    for (const link of links) this.greet(link);
  }

  /** A connection must be told anew. */
  greet(link: Link): void {
    if (this.#wanted === undefined || !hasLogging(link)) return;
    const params = { level: this.#wanted };
    void link.request({ method: 'logging/setLevel', params, timeoutMs: SWITCHBOARD_LIMITS.sideRequestMs });
  }

  /** To whom a message goes; nobody where it is not wanted. */
  receiver(params: JsonObject, client: Peer, { link, peers }: LoggingServer): Peer | undefined {
    if (link === undefined) return undefined;
    const only = peers.length === 1 ? peers[0] : undefined;
    if (client.era === 'legacy')
      return this.#level === undefined || isWanted(params.level, this.#level) ? (only ?? client) : undefined;
    const wants = (peer: Peer): boolean => peer.logLevel !== undefined && isWanted(params.level, peer.logLevel);
    if (crossingOf(client, link).logging === 'one call') return only !== undefined && wants(only) ? only : undefined;
    return peers.find(wants);
  }
}
