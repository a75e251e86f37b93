// What a backend needs from outside: time, chance, connections, and who hears about what happens.
import type { Listing, Peer } from '../../call/peer.js';
import type { JsonObject } from '../../proof/json-object.js';
import type { ServerConfig } from '../config/config.js';
import { diffConfigs } from '../config/diff.js';
import type { Transition } from '../health/event.js';
import type { Health, Hold } from '../health/state.js';
import type { Asker, DeclaredTool, Dial, LinkAnswer } from '../link/link.js';
import type { InputSeal } from './input-state.js';
import type { Question } from './questions.js';
import type { CatalogueChange } from './stored-catalogue.js';

export interface Timer {
  cancel(): void;
}

export interface Remembered {
  readonly tools: readonly DeclaredTool[];
}

/** A check that calls a tool. */
export interface CapabilityCall {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly timeoutMs: number;
  readonly state: Health | null;
}

/**
 * Has such a check recorded as a call, and sends it after that. Undefined: it could not be recorded, so nothing was sent and there
 * is nothing to judge.
 */
export type RecordedCheck = (check: CapabilityCall, send: () => Promise<LinkAnswer>) => Promise<LinkAnswer | undefined>;

export interface BackendDeps {
  readonly dial: Dial;
  readonly recordedCheck: RecordedCheck;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly setTimer: (ms: number, fire: () => void) => Timer;
  readonly onTransition: (transition: Transition & { readonly server: string }) => void;
  readonly onCatalogue: (change: CatalogueChange) => void;
  /** A list of the server has changed. */
  readonly onListChanged?: (what: Listing) => void;
  /** There is a new connection. */
  readonly onDialled?: () => void;
  readonly onNotified?: (method: string, params: JsonObject) => void;
  /** A question of the server was put to the client. */
  readonly onAsked?: (question: Question) => void;
  readonly seal: InputSeal;
  /** The client of the connection, for what belongs to no request. */
  readonly client: () => Peer | undefined;
  /** What a server is told of the client whose call it gets. */
  readonly heard: (peer: Peer) => Asker;
  /** The catalogue as a store has it. */
  readonly remembered?: Remembered;
  readonly warn: (message: string) => void;
}

/** A server of the configuration, and whether a person must act before it may be dialled. */
export interface BackendConfig extends ServerConfig {
  readonly hold?: Hold | null;
}

/** What comes with other connection keys. */
export interface Renewal {
  readonly dial?: Dial;
  readonly remembered?: Remembered;
}

/** Consent first: a variable of a server that nobody approved is nobody's business. */
export const holdOf = ({ hold, missing }: BackendConfig): Hold | null =>
  hold ?? (missing.length > 0 ? 'missing_variable' : null);

const alone = (server: ServerConfig) => ({ file: '', servers: [server], routes: [], warnings: [], errors: [] });

/** What a saved file changes for one server; a hold set or lifted is a change of its connection. */
export const changeBetween = (
  before: BackendConfig,
  after: BackendConfig,
): 'removed' | 'connection' | 'settings' | 'same' => {
  const { change } = diffConfigs(alone(before), alone(after)).find(({ name }) => name === before.name) ?? {};
  if (change === undefined || change === 'added' || change === 'removed') return 'removed';
  return holdOf(before) === holdOf(after) ? change : 'connection';
};
