// The logs of the servers of one Colibri process. A log is found by the server's name and connection, so that it stays the same file when the
// server is started again.
import { isSecretName, redactText } from '../../redact/redact.js';
import type { ServerConfig } from '../config/config.js';
import { readSecrets } from '../config/secrets.js';
import { serverLogDir } from '../config/server-log-place.js';
import type { Transition } from '../health/event.js';
import { forPeople } from '../health/state.js';
import { removeOldLogs, ServerLog } from './server-log.js';

interface ServerLogsDeps {
  readonly stateDir: string;
  readonly warn: (message: string) => void;
  readonly wallMs: () => number;
}

/** The values that must not be in a server's log: those of the user's secrets, and of variables whose names announce a secret. */
const secretsOf = (server: ServerConfig, stateDir: string): readonly string[] => {
  const { connection } = server;
  const given = connection.kind === 'stdio' ? connection.env : connection.headers;
  const named = Object.entries(given).filter(([name]) => isSecretName(name));
  return [...Object.values(readSecrets(stateDir)), ...named.map(([, value]) => value)];
};

export class ServerLogs {
  readonly #deps: ServerLogsDeps;
  readonly #byServer = new Map<string, ServerLog>();

  constructor(deps: ServerLogsDeps) {
    this.#deps = deps;
  }

  /** The log of a server with this connection. */
  of(server: ServerConfig): ServerLog {
    const { stateDir, warn, wallMs } = this.#deps;
    const dir = serverLogDir(stateDir, server);
    if (!this.#byServer.has(server.name)) removeOldLogs(dir, wallMs());
    const log = new ServerLog({ dir, secrets: secretsOf(server, stateDir), warn, wallMs });
    this.#byServer.set(server.name, log);
    return log;
  }

  /** Removes the secret values of all servers from a text. */
  hide(text: string): string {
    return [...this.#byServer.values()].reduce((shown, log) => log.hide(shown), text);
  }

  /** Says in a server's log that its health state has changed, and why. */
  moved(server: string, { from, to, reason }: Transition): void {
    const why = reason === null ? '' : `: ${forPeople(reason)}`;
    this.#byServer.get(server)?.note(redactText(`${from} → ${to ?? 'removed'}${why}`));
  }
}
