// The process's own stdin and stdout as a transport: the only place that names them for the protocol.
import { LineTransport, type LineTransportOptions } from './line-transport.js';

export const stdioTransport = (options: LineTransportOptions = {}): LineTransport =>
  new LineTransport(process.stdin, process.stdout, options);
