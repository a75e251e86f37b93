// The public API: create a server, add tools, start it, stop it. It does not know the store or the project; startup.ts adds those.
// stdio is the only transport.
import { format } from 'node:util';
import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AuditSink, ColibriServerContext, Relay, Tool } from './call/context.js';
import type { Era } from './call/peer.js';
import { listedTool, registerColibriTool } from './call/registry.js';
import { RunningCalls } from './call/running-calls.js';
import { readEnv, VARIABLES } from './config.js';
import { type Clock, isoClock, monotonicMs, within } from './core/clock.js';
import { EXIT_FAILED, EXIT_TIMEOUT } from './core/exit-codes.js';
import { CORE_LIMITS } from './core/limits.js';
import { Patience } from './core/patience.js';
import { plainBut } from './core/plain.js';
import { asError, ColibriError } from './errors.js';
import { fiveStages, type Run } from './middleware/chain.js';
import { ownChecks } from './middleware/own-check.js';
import { Tickets } from './middleware/tool-lock.js';
import { detectMode, type RuntimeMode } from './modes.js';
import type { JsonObject } from './proof/canonical-json.js';
import { INSTRUCTIONS } from './start/instructions.js';
import { readVersion } from './start/version.js';
import { registerHealthTool } from './tools/health.js';
import { registerPingTool } from './tools/ping.js';
import { MessageObserver } from './wire/client-peer.js';
import { sendConsoleToStderr } from './wire/console.js';
import { type ConnectionHandlers, doorFor, type ListedTool } from './wire/door.js';
import { FastLane } from './wire/fast-lane.js';
import { followsLists } from './wire/follows-lists.js';
import { stdioTransport } from './wire/line-transport.js';
import type { RelayHandlers } from './wire/relayed.js';
import type { HostedSkills } from './wire/skills.js';

export type {
  AuditSink,
  ColibriServerContext,
  ColibriToolConfig,
  ToolEnterEvent,
  ToolExitEvent,
} from './call/context.js';
export { registerColibriTool };

export interface CreateServerOptions {
  readonly auditSink?: AuditSink;
  readonly transport?: Transport;
  readonly version?: string;
  readonly mode?: RuntimeMode;
  /** The monotonic clock in milliseconds. */
  readonly nowMs?: () => number;
  /** The wall clock, ISO 8601 UTC. */
  readonly now?: Clock;
  readonly bootStartMs?: number;
  readonly logger?: (...args: unknown[]) => void;
  /** Told of calls that could not be recorded; without it, `logger` is. */
  readonly logError?: (...args: unknown[]) => void;
  readonly installGlobalHandlers?: boolean;
  readonly startupTimeoutMs?: number;
  /**
   * If true, calls may bypass the SDK's dispatch (wire/fast-lane.ts). False only in tests that compare answers with and without the SDK's
   * dispatch.
   */
  readonly fastLane?: boolean;
}

export interface BootstrapOptions {
  readonly createOptions?: CreateServerOptions;
  /** A function of the caller that runs after the two built-in tools are registered and before the server starts. */
  readonly prepare?: (ctx: ColibriServerContext) => void;
  /** Skills (SKILL.md folders) to serve to clients that ask for them. */
  readonly skills?: HostedSkills | undefined;
  readonly exit?: (code: number) => void;
}

const NO_OP_SINK: AuditSink = Object.freeze({ enter() {}, exit() {} });

export function createNoOpAuditSink(): AuditSink {
  return NO_OP_SINK;
}

const logToStderr = (...args: unknown[]): void => {
  process.stderr.write(`[colibri] ${plainBut(format(...args), '\n')}\n`);
};

export function createServer(options: CreateServerOptions = {}): ColibriServerContext {
  const nowMs = options.nowMs ?? monotonicMs;
  const transport: Transport & { readonly moreWaits?: boolean } = options.transport ?? stdioTransport();
  return {
    version: options.version ?? readVersion(),
    mode: options.mode ?? detectMode(readEnv()),
    auditSink: options.auditSink ?? createNoOpAuditSink(),
    hasSink: options.auditSink !== undefined,
    transport,
    nowMs,
    now: options.now ?? isoClock(),
    bootStartMs: options.bootStartMs ?? nowMs(),
    logger: options.logger ?? logToStderr,
    logError: options.logError ?? options.logger ?? logToStderr,
    installGlobalHandlers: options.installGlobalHandlers ?? true,
    startupTimeoutMs: options.startupTimeoutMs ?? VARIABLES.COLIBRI_STARTUP_TIMEOUT_MS.fallback,
    fastLane: options.fastLane ?? true,
    tools: new Map(),
    notAdmitted: new Set(),
    tickets: new Tickets(),
    patience: new Patience(CORE_LIMITS.vitalPatienceMs, monotonicMs),
    running: new RunningCalls(() => transport.moreWaits === true),
  };
}

const HANDLERS_INSTALLED = Symbol.for('dev.colibri/global-handlers');

/**
 * Installs the process's error handlers, once. A mark on `process` tells whether they are installed: counting handlers would count those of
 * other code.
 */
const installGlobalHandlers = (logger: ColibriServerContext['logger']): void => {
  const marked = process as unknown as Record<symbol, boolean>;
  if (marked[HANDLERS_INSTALLED]) return;
  marked[HANDLERS_INSTALLED] = true;
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (reason: unknown) => {
      logger(`${event}:`, reason);
      process.exit(EXIT_FAILED);
    });
  }
};

/** Everything that a client's connection needs from the process. */
const handlersFor = (
  ctx: ColibriServerContext,
  skills: HostedSkills | undefined,
  observer: MessageObserver,
): ConnectionHandlers => {
  const run = fiveStages(ctx);
  const made = new Map<Tool, ListedTool>();
  const listed = (tool: Tool): ListedTool => {
    const known = made.get(tool) ?? listedTool(tool);
    made.set(tool, known);
    return known;
  };
  // Asked for each list: tools that a quorum needs are registered once there is one.
  const own = () => [...ctx.tools.values()].filter(({ config }) => config.isListed?.() !== false).map(listed);
  const { switchboard } = ctx;
  return {
    serverInfo: { name: 'colibri', version: ctx.version },
    instructions: INSTRUCTIONS[ctx.mode],
    listTools:
      switchboard === undefined
        ? own
        : async (client) => {
            const follows = observer.listensToTools || followsLists(client);
            const others = await switchboard.listed({ follows });
            return [...own(), ...others];
          },
    onChanged: switchboard && ((listener) => switchboard.onChange(listener)),
    skills,
    opened: switchboard && ((peer) => switchboard.opened(peer)),
    relay: switchboard?.relay && relayOf(switchboard.relay, run),
    call: run,
  };
};

/** Answers requests for other servers that are not tool calls. Reading a prompt or resource is recorded like a call. */
const relayOf = (relay: Relay, run: Run): RelayHandlers => ({
  call: async (method, request) => {
    const params = request.args as JsonObject;
    return run({ ...request, args: withoutMeta(params) }, await relay.find(method, params));
  },
  request: (method, params, peer, signal) => relay.request(method, params, { peer, signal }),
  rootsChanged: () => relay.rootsChanged(),
});

const withoutMeta = ({ _meta: _ours, ...params }: JsonObject): JsonObject => params;

/** Starts to serve. Resolves when the transport has started; does not wait for the client's handshake. A second call does nothing. */
export async function start(ctx: ColibriServerContext, skills?: HostedSkills): Promise<void> {
  if (ctx.connection !== undefined) return ctx.connection.started;
  sendConsoleToStderr();
  if (ctx.installGlobalHandlers) installGlobalHandlers(ctx.logger);
  ctx.logger('starting in mode', ctx.mode, 'version', ctx.version);
  const onError = (error: Error) => ctx.logger('wire:', error.message);
  const observer = new MessageObserver(ctx.switchboard && ((uris) => ctx.switchboard?.relay?.listens(uris)));
  const server = handlersFor(ctx, skills, observer);
  ctx.ownCheck = ownChecks(ctx);
  const lane = new FastLane({ ...server, transport: ctx.transport, isOpen: ctx.fastLane, observer, onError });
  const door = ({ era }: { readonly era: Era }) => {
    lane.reset();
    const accepted: ConnectionHandlers['accepted'] = (envelope, client, peer) => lane.accept(envelope, client, peer);
    return doorFor({ ...server, accepted }, { era, capabilities: observer.capabilities });
  };
  serveStdio(door, { transport: lane, onerror: onError });
  const { started, closed } = lane;
  ctx.connection = { started, closed, door };
  const inTime = await within(
    started.then(() => true),
    ctx.startupTimeoutMs,
  );
  if (inTime === undefined) throw new ColibriError('STARTUP_TIMEOUT', 'startup timeout exceeded');
  ctx.logger('ready');
}

/** Closes the transport. Does not wait for a start that is still pending. */
export async function stop(ctx: ColibriServerContext): Promise<void> {
  await ctx.transport.close();
}

/** Creates a server with the two vital tools (`server_ping`, `server_health`) and starts it. */
export async function bootstrap(options: BootstrapOptions = {}): Promise<ColibriServerContext> {
  const exit = options.exit ?? ((code: number) => process.exit(code));
  const ctx = createServer(options.createOptions);
  try {
    ctx.phase = 'phase1';
    registerPingTool(ctx);
    registerHealthTool(ctx);
    options.prepare?.(ctx);
    await start(ctx, options.skills);
  } catch (thrown) {
    ctx.logger('fatal:', asError(thrown).message);
    exit(thrown instanceof ColibriError && thrown.code === 'STARTUP_TIMEOUT' ? EXIT_TIMEOUT : EXIT_FAILED);
  }
  return ctx;
}

/** Serves with store and ledger until stdin ends or a signal comes. Their code is loaded late, so that the handshake is answered first. */
export async function main(projectFlag?: string): Promise<void> {
  const { serve } = await import('./start/serve.js');
  await serve(projectFlag);
}
