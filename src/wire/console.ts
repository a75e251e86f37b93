// Makes the global console write to stderr while Colibri serves, because stdout may carry only MCP messages, and libraries print with
// `console`.
import { Console } from 'node:console';
import { ignoreErrors } from './ignore-errors.js';

export const sendConsoleToStderr = (): void => {
  // A client that closes stderr must not end the process: the last calls still have to be recorded.
  ignoreErrors(process.stderr);
  globalThis.console = new Console(process.stderr, process.stderr);
};
