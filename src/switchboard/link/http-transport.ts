// The SDK's HTTP transport, with a maximum number of messages that no call waits for: responses to a server's requests, and notifications. Each
// is an HTTP request of its own, and a server that asks without end and never answers would take a socket with each.
import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SWITCHBOARD_LIMITS } from '../limits.js';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

const isRequest = (message: JSONRPCMessage | JSONRPCMessage[]): boolean =>
  !Array.isArray(message) && 'method' in message && 'id' in message;

export class BoundedTransport extends StreamableHTTPClientTransport {
  #open = 0;

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (isRequest(message)) return super.send(message, options);
    if (this.#open >= SWITCHBOARD_LIMITS.sidePosts)
      throw new Error('The server does not accept the messages that it is sent');
    this.#open++;
    try {
      await super.send(message, { ...options, requestSignal: AbortSignal.timeout(SWITCHBOARD_LIMITS.sideRequestMs) });
    } finally {
      this.#open--;
    }
  }
}
