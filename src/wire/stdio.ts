// The transport over the process's stdin and stdout. No other file uses these streams for the protocol.
import { LineTransport, type LineTransportOptions } from './line-transport.js';

export const stdioTransport = (options: LineTransportOptions = {}): LineTransport =>
  new LineTransport(process.stdin, process.stdout, options);
