// stdout carries MCP messages and nothing else. The SDK and other libraries print with `console`, so while we serve
// the global console writes to stderr.
import { Console } from 'node:console';

export const sendConsoleToStderr = (): void => {
  globalThis.console = new Console(process.stderr, process.stderr);
};
