// Connects to a server behind a URL over streamable HTTP, with the SDK's transport.
import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { within } from '../../core/within.js';
import { connectionDigest, type HttpConnection, type ServerConnection } from '../config/connection.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { newClient } from './dial-client.js';
import type { DialDeps } from './dial-deps.js';
import { type DialTry, dialInTries, failedDial, newLink, type TryEnd } from './dial-tries.js';
import { negotiationOf } from './era.js';
import { linkFetch } from './http-fetch.js';
import { refusalEnd } from './http-refusal.js';
import { BoundedTransport } from './http-transport.js';
import type { Carrier, Posted } from './lane.js';
import type { Dial, DialEnd, Link, LinkAnswer, LinkEnd } from './link.js';
import { ListError } from './lists.js';
import type { LinkLine } from './open.js';

export interface HttpServer {
  readonly connection: HttpConnection;
  readonly written: ServerConnection;
}

export const httpDial = (server: HttpServer, deps: DialDeps): Dial =>
  dialInTries(connectionDigest(server), deps, (tried) => open(server.connection, tried));

const open = async (connection: HttpConnection, tried: DialTry): Promise<TryEnd> => {
  const { time, plan, deps } = tried;
  const transport = new BoundedTransport(new URL(connection.url), {
    requestInit: { headers: connection.headers },
    fetch: linkFetch(deps.epochMs),
    reconnectionScheduler: reopen,
  });
  const client = newClient(deps, negotiationOf(plan, tried.request.startTimeoutMs));
  try {
    await time.spend(client.connect(transport, { timeout: time.leftMs + SWITCHBOARD_LIMITS.probeMs }), () => {
      transport.close().catch(() => {});
    });
    const offered = client.getProtocolEra() === 'modern' ? client.getNegotiatedProtocolVersion() : undefined;
    return { end: await serve(tried, connection, { transport, client }), offered };
  } catch (thrown) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    return failedTry(tried, thrown);
  }
};

/** Reopens a server's stream after the pause that the server asked for, within bounds: 0, and more than a timer takes, would mean no pause. */
const reopen = (open: () => void, askedMs: number): (() => void) => {
  const { streamPauseLeastMs, streamPauseMostMs } = SWITCHBOARD_LIMITS;
  const timer = setTimeout(open, Math.min(Math.max(askedMs, streamPauseLeastMs), streamPauseMostMs));
  return () => clearTimeout(timer);
};

/** The end of a failed attempt. `unclear`: if true, the answer to the probe did not show the protocol, so the legacy handshake is tried next. */
const failedTry = ({ time, plan }: DialTry, thrown: unknown): TryEnd => {
  if (time.isOver) return { end: failedDial('start_timeout', time.text) };
  const isList = thrown instanceof ListError;
  const { end, sent, text } = isList ? { ...thrown.answer, text: thrown.message } : refusalEnd(thrown);
  if (end.how === 'auth_required') return { end: { auth: end.status } };
  if (end.how === 'throttled') return { end: { throttled: end.retryAfterMs } };
  if (end.how === 'lost' && !sent) return { end: failedDial('spawn_error', text) };
  return {
    end: failedDial('handshake_refused', text, isList ? thrown.said : undefined),
    unclear: plan.era === 'probe',
  };
};

interface Connected {
  readonly transport: StreamableHTTPClientTransport;
  readonly client: Client;
}

/** Makes the link after the handshake and reads the server's tools. Rejects if the tool list cannot be read. */
const serve = async (
  tried: DialTry,
  connection: HttpConnection,
  { transport, client }: Connected,
): Promise<Extract<DialEnd, { link: Link }>> => {
  let lose = (_text: string): void => {};
  const carrier = carrierOf(transport, client.getProtocolEra() === 'modern', (text) => lose(text));
  const line = new HttpLine(connection, transport, { deps: tried.deps, lose: (text) => lose(text) });
  const { lane, link } = newLink(tried, { client, carrier, line });
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if (!lane.take(message)) onmessage?.(message);
  };
  const tools = await link.open(tried.time);
  // From here on a lost connection is reported as an event; before, a lost connection made the dial fail.
  lose = (text) => link.lose({ text });
  return { link, tools };
};

const carrierOf = (
  transport: StreamableHTTPClientTransport,
  isModern: boolean,
  lose: (text: string) => void,
  streams: Posted[] = [],
): Carrier => ({
  post: (frame, posted) => {
    const { signal } = posted;
    const failed = (end: LinkEnd, sent: boolean): boolean => posted.failed(end, sent);
    const streamEnded = (): void => {
      if (failed({ how: 'lost' }, true)) lose('the stream of a response ended before the response');
    };
    transport.send(frame, { requestSignal: signal, onRequestStreamEnd: streamEnded }).catch((thrown: unknown) => {
      if (signal.aborted) return;
      const { end, sent, text } = refusalEnd(thrown);
      if (failed(end, sent) && end.how === 'lost') lose(text);
    });
  },
  // In protocol 2026-07-28, closing a request's stream cancels the request, so no notification is sent.
  cancel: (frame) => {
    if (!isModern) transport.send(frame).catch(() => {});
  },
  notify: (frame) => {
    if (!isModern) transport.send(frame).catch(() => {});
  },
  // Old streams are cut: a server that never ends its streams would keep one more socket open with every response.
  answered: (posted) => {
    streams.push(posted);
    if (streams.length > SWITCHBOARD_LIMITS.answeredStreams) streams.shift()?.cut();
  },
});

interface LineDeps {
  readonly deps: DialDeps;
  lose(text: string): void;
}

const ALIVE: LinkEnd = { how: 'response', result: {} };

class HttpLine implements LinkLine {
  readonly pid = undefined;
  readonly noise = 0;
  readonly stderr = '';
  readonly #connection: HttpConnection;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #deps: LineDeps;

  constructor(connection: HttpConnection, transport: StreamableHTTPClientTransport, deps: LineDeps) {
    this.#connection = connection;
    this.#transport = transport;
    this.#deps = deps;
  }

  /** Checks that the server is alive with an OPTIONS request, which no server takes for an MCP request. Any response but a refusal means alive. */
  async liveness(timeoutMs: number): Promise<LinkAnswer> {
    const { deps, lose } = this.#deps;
    const { url, headers } = this.#connection;
    const began = deps.nowMs();
    const answer = (end: LinkAnswer['end'], sent: boolean): LinkAnswer => {
      return { end, sent, frames: 0, elapsedMs: deps.nowMs() - began };
    };
    const over = AbortSignal.timeout(timeoutMs);
    try {
      const response = await linkFetch(deps.epochMs)(url, { method: 'OPTIONS', headers, signal: over });
      await response.body?.cancel();
      return answer(ALIVE, true);
    } catch (thrown) {
      if (over.aborted) return answer({ how: 'timeout' }, true);
      const { end, sent, text } = refusalEnd(thrown);
      if (end.how === 'lost') lose(text);
      // HTTP 501 (method not supported) shows that the server is alive.
      return end.how === 'server_error' && end.status === 501 ? answer(ALIVE, true) : answer(end, sent);
    }
  }

  async end(): Promise<void> {
    await within(
      this.#transport.terminateSession().catch(() => {}),
      SWITCHBOARD_LIMITS.sessionEndMs,
    );
    await this.#transport.close().catch(() => {});
  }
}
