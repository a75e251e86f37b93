// Runs the server from the command line: reads the settings, opens the log, handles signals and sets the exit code.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Config, parseConfig, readEnv, workingDirectory } from '../config.js';
import { monotonicMs } from '../core/clock.js';
import { EXIT_FAILED, EXIT_INTERRUPTED } from '../core/exit-codes.js';
import { asError } from '../errors.js';
import { MODES } from '../modes.js';
import { type Running, type StartupOptions, startup } from '../startup.js';
import { stdioTransport } from '../wire/line-transport.js';
import { START_LIMITS } from './limits.js';
import { createLogger, type Log, openLogFile } from './log-file.js';
import { namedChoice, resolveProject, resolveStore } from './project.js';

const listedTools = ({ tools }: Running['ctx']): number =>
  [...tools.values()].filter(({ config }) => config.isListed?.() !== false).length;

const toStderr = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const loggerFor = (config: Config): Log =>
  createLogger({
    level: config.logLevel,
    stderr: toStderr,
    file: MODES[config.mode].logFile ? openLogFile({ dir: join(config.directories.state, 'log') }) : undefined,
    now: Date.now,
  });

/** Reads the settings. Throws if a setting is invalid, before anything is opened. */
const settings = (projectFlag: string | undefined): Omit<StartupOptions, 'transport' | 'exit'> => {
  const place = { cwd: workingDirectory(), home: homedir(), platform: process.platform, projectFlag };
  const config = parseConfig(readEnv(), place);
  const project = resolveProject(config.projectHints);
  return { config, project, choice: resolveStore(config, project), log: loggerFor(config) };
};

const announce = (
  { config, project, choice, log }: Omit<StartupOptions, 'transport' | 'exit'>,
  tools: number,
): void => {
  for (const warning of config.warnings) log('warn', warning);
  log('info', `project: ${project.none ? 'none' : project.dir} (${project.rule})`);
  log('info', `store: ${namedChoice(choice)} (${choice.rule})`);
  log('info', `mode ${config.mode}, ${tools} tools`);
  if (process.stdin.isTTY !== true) return;
  const script = process.argv[1] ?? 'colibri';
  toStderr(`
Colibri speaks MCP on stdin and stdout; this terminal is now its client.
Usually an MCP client starts it:
  node ${script} init
or in a client's JSON configuration:
  { "mcpServers": { "colibri": { "command": "node", "args": ["${script}", "serve"] } } }
Ctrl-C or Ctrl-D ends it.`);
};

const endOn = (running: Running, { config, log }: Pick<StartupOptions, 'config' | 'log'>): void => {
  let signalledMs: number | undefined;
  const finish = (reason: string): void => {
    setTimeout(() => process.exit(EXIT_FAILED), config.shutdownTimeoutMs + START_LIMITS.closeGraceMs).unref();
    running.shutdown(reason).then(
      () => process.exit(0),
      (thrown) => {
        log('error', 'shutdown failed:', asError(thrown).message);
        process.exit(EXIT_FAILED);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      const nowMs = monotonicMs();
      signalledMs ??= nowMs;
      // Some clients send several signals within milliseconds. Only a SIGINT some time after the first signal is a person who does not want to wait.
      if (signal === 'SIGINT' && nowMs - signalledMs >= START_LIMITS.secondSignalMs) process.exit(EXIT_INTERRUPTED);
      finish(signal);
    });
  }
  void running.ctx.connection?.closed.then(() => finish('stdin closed'));
};

/**
 * Makes V8 compile hot code a dozen times earlier than usual, because an agent makes hundreds of calls, not millions. Not called during the
 * start: much code runs once there, and compiling it would only delay the handshake (docs/adr/0036).
 */
const compileEarly = (): void => setFlagsFromString('--interrupt-budget=10000');

export const serve = async (projectFlag?: string): Promise<void> => {
  try {
    const options = settings(projectFlag);
    const transport = stdioTransport({ drainMs: options.config.shutdownTimeoutMs });
    const running = await startup({ ...options, transport, exit: (code) => process.exit(code) });
    void running.settled.then(compileEarly);
    endOn(running, options);
    announce(options, listedTools(running.ctx));
  } catch (thrown) {
    toStderr(`[colibri] ${asError(thrown).message}`);
    process.exit(EXIT_FAILED);
  }
};
