// Chooses how to connect to (dial) a server: as a child process or over HTTP.
import type { ServerConnection } from '../config/connection.js';
import type { DialDeps } from './dial-deps.js';
import { httpDial } from './dial-http.js';
import { stdioDial } from './dial-stdio.js';
import type { Dial } from './link.js';

/** `connection`: with variables filled in, to connect with. `written`: as in the switchboard file; the server's protocol era is stored under it. */
export interface DialledServer {
  readonly connection: ServerConnection;
  readonly written: ServerConnection;
}

export const dialFor = ({ connection, written }: DialledServer, deps: DialDeps): Dial =>
  connection.kind === 'stdio' ? stdioDial({ connection, written }, deps) : httpDial({ connection, written }, deps);
