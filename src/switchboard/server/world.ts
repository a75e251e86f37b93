// What a server's backend gets from outside: clocks, timers, random numbers, a way to connect, and callbacks for its events.
import type { Listing, Peer } from '../../call/peer.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { ServerConfig } from '../config/config.js';
import { type ConfigChange, changeOf } from '../config/diff.js';
import type { Transition } from '../health/event.js';
import type { Health, Hold } from '../health/state.js';
import type { Asker, DeclaredTool, Dial, LinkAnswer } from '../link/link.js';
import type { InputSeal } from './input-state.js';
import type { Question } from './questions.js';

export interface Timer {
  cancel(): void;
}

/** A health check that calls a tool of the server. */
export interface CapabilityCall {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly timeoutMs: number;
  readonly state: Health | null;
}

/** Records a capability check as a call, then sends it. Resolves with undefined if it could not be recorded and so was not sent. */
export type RecordedCheck = (check: CapabilityCall, send: () => Promise<LinkAnswer>) => Promise<LinkAnswer | undefined>;

export interface BackendDeps {
  readonly dial: Dial;
  readonly recordedCheck: RecordedCheck;
  /** The monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly setTimer: (ms: number, fire: () => void) => Timer;
  readonly onTransition: (transition: Transition & { readonly server: string }) => void;
  /** Called with the tools as the server declares them, when they have changed. */
  readonly onCatalogue: (tools: readonly DeclaredTool[]) => void;
  readonly onListChanged?: (what: Listing) => void;
  /** Called for each new connection to the server. */
  readonly onDialled?: () => void;
  readonly onNotified?: (method: string, params: JsonObject) => void;
  /** Called when a question of the server was passed to the client. */
  readonly onAsked?: (question: Question) => void;
  readonly seal: InputSeal;
  /** The connected client, for messages of the server that belong to no request. */
  readonly client: () => Peer | undefined;
  /** What a server is told about the client whose call it gets. */
  readonly heard: (peer: Peer) => Asker;
  /** The server's tool list (catalogue) as the store has it. */
  readonly remembered?: readonly DeclaredTool[] | undefined;
  readonly warn: (message: string) => void;
}

/** A server of the switchboard file, and whether a person must act before Colibri may connect to it. */
export interface BackendConfig extends ServerConfig {
  readonly hold?: Hold | null;
}

/** What a changed connection of a server brings: how to connect, and the tool list (catalogue) that the store has for it. */
export interface Renewal {
  readonly dial?: Dial;
  readonly remembered?: readonly DeclaredTool[] | undefined;
}

/** What a person must do before Colibri may connect. A missing approval comes first: variables of an unapproved server are not looked at. */
export const holdOf = ({ hold, missing }: BackendConfig): Hold | null =>
  hold ?? (missing.length > 0 ? 'missing_variable' : null);

/** What a changed switchboard file changes for one server. Setting or lifting a hold is a change of the server's connection. */
export const changeBetween = (before: BackendConfig, after: BackendConfig): ConfigChange => {
  const change = changeOf(before, after.disabled ? undefined : after);
  return change === 'removed' || holdOf(before) === holdOf(after) ? change : 'connection';
};
