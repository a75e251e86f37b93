// stdout carries MCP messages and nothing else. The SDK and other libraries print with `console`, so while we serve
// the global console writes to stderr.
import { Console } from 'node:console';
import { ignoreErrors } from './ignore-errors.js';

export const sendConsoleToStderr = (): void => {
  // A client that closes it must not end the process: the last calls still have to be recorded.
  ignoreErrors(process.stderr);
  globalThis.console = new Console(process.stderr, process.stderr);
};
