// How a server is dialled, by what it is.
import type { ServerConnection } from '../config/connection.js';
import type { DialDeps } from './dial-deps.js';
import { httpDial } from './dial-http.js';
import { stdioDial } from './dial-stdio.js';
import type { Dial } from './link.js';

/** As it is written, by which verdicts are remembered, and with its variables filled in. */
export interface DialledServer {
  readonly connection: ServerConnection;
  readonly written: ServerConnection;
}

export const dialFor = ({ connection, written }: DialledServer, deps: DialDeps): Dial =>
  connection.kind === 'stdio' ? stdioDial({ connection, written }, deps) : httpDial({ connection, written }, deps);
