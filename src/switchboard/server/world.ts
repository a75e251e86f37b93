// The types of what the code for one server (the backend) gets from outside: clocks, timers, random numbers, a way to connect, callbacks.
import type { Listing, Peer } from '../../call/peer.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { ApprovalCase, ApprovalJudgement } from '../approval/approver.js';
import type { ApprovedTools } from '../config/baselines.js';
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

/** Records a capability check like a call and sends it. Resolves with undefined if it was not sent, because it could not be recorded. */
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
  /** Returns what a server is told about the client whose call it gets. */
  readonly heard: (peer: Peer) => Asker;
  /** The server's tool list (catalogue) in the store; undefined if none is stored. */
  readonly remembered?: readonly DeclaredTool[] | undefined;
  /** True if the stored tool list was that of a client with other capabilities. */
  readonly isGuess?: boolean | undefined;
  readonly warn: (message: string) => void;
  /** The tools that were approved of servers with `onChange: "hold"`; absent where no state is kept. */
  readonly baselines?: ToolBaselines | undefined;
  /** Asks people about calls; absent where nobody can be asked, so that calls that need a yes are refused. */
  readonly approver?: AsksPeople | undefined;
}

/** Asks people about calls that need a yes (approval/approver.ts). */
export interface AsksPeople {
  judge(asked: ApprovalCase): Promise<ApprovalJudgement>;
  /** The definition of a server's tool as clients would get it now. */
  definitionOf(server: string, tool: string): string;
  /** Whether the list that the client got says of this tool that a person must be asked. */
  isFlagged(name: string): boolean;
}

export interface ToolBaselines {
  /** The approved tools of a server; undefined if it was never seen. */
  of(server: string): ApprovedTools | undefined;
  /** Takes the tools of a server that was never seen as approved. */
  begin(server: string, tools: ApprovedTools): void;
}

/** A server of the switchboard file, and whether a person must act before Colibri may connect to it. */
export interface BackendConfig extends ServerConfig {
  readonly hold?: Hold | null;
}

/** What is new if a server's connection has changed: how to connect, and the tool list (catalogue) that is stored for the new connection. */
export interface Renewal {
  readonly dial?: Dial;
  readonly remembered?: readonly DeclaredTool[] | undefined;
  readonly isGuess?: boolean | undefined;
}

/** Why Colibri must not connect before a person acts; null if it may. A missing approval counts before a missing variable. */
export const holdOf = ({ hold, missing }: BackendConfig): Hold | null =>
  hold ?? (missing.length > 0 ? 'missing_variable' : null);

/** What a changed switchboard file changes for one server. If connecting becomes allowed or forbidden, the connection counts as changed. */
export const changeBetween = (before: BackendConfig, after: BackendConfig): ConfigChange => {
  const change = changeOf(before, after.disabled ? undefined : after);
  return change === 'removed' || holdOf(before) === holdOf(after) ? change : 'connection';
};
