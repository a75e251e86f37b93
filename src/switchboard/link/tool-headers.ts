// The headers of calls over HTTP that repeat arguments (`Mcp-Param-*`), by the tool list that the server sent last over this connection.
import { isDeepStrictEqual } from 'node:util';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { type CallHeaders, headersFor, type ParamHeaders, paramHeadersOf } from '../param-headers.js';
import type { DeclaredTool, Link, LinkAnswer } from './link.js';

const NONE: ParamHeaders = { params: [] };

interface Sent {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

export class ToolHeaders {
  #schemas: ReadonlyMap<unknown, unknown> = new Map();
  /** What was found in the schemas so far: a schema is searched when its tool is called. */
  #found = new Map<unknown, ParamHeaders>();

  /** Takes over the tools that the server lists now. */
  listed(tools: readonly DeclaredTool[]): void {
    this.#schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    this.#found = new Map();
  }

  /** The headers that the tool of a call asks for. Other requests have none. */
  askedBy({ method, params }: Sent): ParamHeaders {
    const name = params?.name;
    if (method !== 'tools/call' || !this.#schemas.has(name)) return NONE;
    const asked = this.#found.get(name) ?? paramHeadersOf(this.#schemas.get(name));
    this.#found.set(name, asked);
    return asked;
  }

  /** The headers to send with a request, or why the request must not be sent. */
  for(request: Sent): CallHeaders {
    const asked = this.askedBy(request);
    if ('fault' in asked) return { fault: `This tool cannot be called over HTTP: ${asked.fault}` };
    return headersFor(asked.params, request.params?.arguments);
  }
}

const isMismatch = ({ end }: LinkAnswer): boolean =>
  end.how === 'response' && 'error' in end && end.error.code === RPC.headerMismatch;

/**
 * Sends requests, and sends a call once more if the server refused its headers and the tool asks for other headers now. A server that refuses
 * headers must not have run the call (MCP 2026-07-28, Streamable HTTP, "Server Validation"), so sending it again is safe. `relist` reads the
 * tools again.
 */
export const withFreshHeaders =
  (send: Link['send'], headers: ToolHeaders, relist: () => Promise<unknown>): Link['send'] =>
  (request, done) => {
    const before = headers.askedBy(request);
    send(request, (answer) => {
      if (request.method !== 'tools/call' || !isMismatch(answer)) return done(answer);
      const again = (): void => {
        if (isDeepStrictEqual(headers.askedBy(request), before)) done(answer);
        else send(request, done);
      };
      void relist().then(again, () => done(answer));
    });
  };
