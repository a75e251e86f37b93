// Passes log messages of servers to the client, and log levels of the client to servers, by the rules of crossings.ts.
import type { Peer } from '../../call/peer.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Link } from '../link/link.js';
import { crossingOf } from './crossings.js';

export interface LoggingServer {
  readonly link: Link | undefined;
  /** The clients whose requests the server works on. */
  readonly peers: readonly Peer[];
}

const hasLogging = (link: Link): boolean => link.era === 'legacy' && link.capabilities.logging !== undefined;

export class RelayLogs {
  /** The log level that a client of protocol 2025-11-25 or older has set for its connection. The requests of such a client name no level. */
  level: string | undefined;
  /** The lowest log level that any client wanted so far. Colibri sets servers of protocol 2025-11-25 or older to this level. */
  #wanted: string | undefined;

  set(level: string, links: readonly Link[]): void {
    this.level = level;
    this.#tell(level, links);
  }

  /** Takes in the log level that a request of a client of protocol 2026-07-28 names; servers are told if it lets more messages through. */
  want(level: string, links: readonly Link[]): void {
    const wanted = louder(this.#wanted, level);
    if (wanted !== this.#wanted) this.#tell(wanted, links);
  }

  #tell(level: string, links: readonly Link[]): void {
    this.#wanted = level;
    for (const link of links) this.greet(link);
  }

  /** Sets the log level on a connection to a server. */
  greet(link: Link): void {
    if (this.#wanted === undefined || !hasLogging(link)) return;
    const params = { level: this.#wanted };
    void link.request({ method: 'logging/setLevel', params, timeoutMs: SWITCHBOARD_LIMITS.sideRequestMs });
  }

  /** The client that gets a server's log message; undefined if no client wants it. */
  receiver(params: JsonObject, client: Peer, { link, peers }: LoggingServer): Peer | undefined {
    if (link === undefined) return undefined;
    const only = peers.length === 1 ? peers[0] : undefined;
    if (client.era === 'legacy')
      return this.level === undefined || isWanted(params.level, this.level) ? (only ?? client) : undefined;
    const wants = (peer: Peer): boolean => peer.logLevel !== undefined && isWanted(params.level, peer.logLevel);
    if (crossingOf(client, link).logging === 'one call') return only !== undefined && wants(only) ? only : undefined;
    return peers.find(wants);
  }
}

// Pure functions that compare the levels of log messages. LEVELS begins with the least severe level.

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const isLevel = (value: unknown): value is string => typeof value === 'string' && LEVELS.includes(value);

/** Whether a message of this level is severe enough for a client that asked for `wanted`. */
const isWanted = (level: unknown, wanted: string): boolean =>
  !isLevel(level) || LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);

/** The less severe of two levels, which lets more messages through. */
const louder = (a: string | undefined, b: string): string =>
  a === undefined || LEVELS.indexOf(b) < LEVELS.indexOf(a) ? b : a;
