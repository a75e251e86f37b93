// Connects to a server behind a URL over streamable HTTP, with the SDK's transport.
import { type Client, type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { within } from '../../core/clock.js';
import { RPC } from '../../core/rpc-codes.js';
import { quietly } from '../../errors.js';
import type { HttpConnection } from '../config/connection.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { TakeLarge } from './answer-scan.js';
import { type DialDeps, type DialTry, failedDial, newClient, newLink, type TryEnd } from './dial-try.js';
import { linkFetch } from './http-fetch.js';
import { refusalEnd } from './http-refusal.js';
import type { Carrier, DialEnd, Link, LinkAnswer, LinkEnd, Posted } from './link.js';
import { ListError } from './lists.js';
import type { LinkLine } from './open.js';
import { ToolHeaders } from './tool-headers.js';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** How the connection is lost if a server ends the stream of a response too early. */
const CUT_STREAM = 'the stream of a response ended before the response';

const isRequest = (message: JSONRPCMessage | JSONRPCMessage[]): boolean =>
  !Array.isArray(message) && 'method' in message && 'id' in message;

/**
 * The SDK's HTTP transport, with a bound on the messages under way that no call waits for: responses to a server's requests, and
 * notifications. Each is an HTTP request with a socket; a server that sends requests without end and never answers would use up all sockets.
 */
class BoundedTransport extends StreamableHTTPClientTransport {
  /** Gets every answer with a large result; returns true if the result need not be parsed. */
  keepLarge: TakeLarge = () => false;
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

export const openHttp = async (connection: HttpConnection, tried: DialTry): Promise<TryEnd> => {
  const { time, deps } = tried;
  requireSendable(connection.headers);
  const client = newClient(tried);
  const isModern = (): boolean => client.getProtocolEra() === 'modern';
  const send = linkFetch(deps.epochMs, fetch, (answer) => transport.keepLarge(answer));
  const transport: BoundedTransport = new BoundedTransport(new URL(connection.url), {
    requestInit: { headers: connection.headers },
    fetch: async (url, init) => (isModern() && init?.method === 'GET' ? noStream() : send(url, init)),
    reconnectionScheduler: (open, askedMs) => reopen(open, isModern() ? 0 : pauseOf(askedMs)),
  });
  try {
    await time.spend(client.connect(transport, { timeout: time.leftMs + SWITCHBOARD_LIMITS.probeMs }), () => {
      transport.close().catch(() => {});
    });
    const offered = isModern() ? client.getNegotiatedProtocolVersion() : undefined;
    return { end: await serve(tried, connection, transport, client), offered };
  } catch (thrown) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    return failedTry(tried, thrown);
  }
};

/** Throws if a configured header cannot be sent. The error has only its name: the error of `fetch` would have its value, which may be a secret. */
const requireSendable = (headers: HttpConnection['headers']): void => {
  for (const [name, value] of Object.entries(headers)) {
    if (quietly(() => new Headers({ [name]: value })) === undefined)
      throw new Error(
        `the header ${JSON.stringify(name)} has a name or a value with characters that HTTP does not allow`,
      );
  }
};

/**
 * The answer to the SDK's GET for the rest of a stream that broke off. Servers of protocol 2026-07-28 know no GET and no rest, so they are not
 * asked, and the request of that stream ends at once.
 */
const noStream = (): Response => new Response(null, { status: 405 });

/** The pause before a server's stream is opened again, as the server asked for it. It is bounded: 0, or more than a timer can take, would be no pause. */
const pauseOf = (askedMs: number): number => {
  const { streamPauseLeastMs, streamPauseMostMs } = SWITCHBOARD_LIMITS;
  return Math.min(Math.max(askedMs, streamPauseLeastMs), streamPauseMostMs);
};

const reopen = (open: () => void, pauseMs: number): (() => void) => {
  const timer = setTimeout(open, pauseMs);
  return () => clearTimeout(timer);
};

/** How a failed attempt to connect ended. `unclear`: true if the probe did not show which protocol the server speaks; an old one is tried next. */
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

/** Makes the link (the open connection) after the handshake and reads the server's tools. Rejects if the tool list cannot be read. */
const serve = async (
  tried: DialTry,
  connection: HttpConnection,
  transport: BoundedTransport,
  client: Client,
): Promise<Extract<DialEnd, { link: Link }>> => {
  let onLost = (_text: string): void => {};
  const lose = (text: string): void => onLost(text);
  const toolHeaders = client.getProtocolEra() === 'modern' ? new ToolHeaders() : undefined;
  const carrier = carrierOf(transport, toolHeaders, lose);
  const line = { ...lineOf(connection, transport, tried.deps, lose), toolHeaders };
  const { lane, link } = newLink(tried, client, carrier, line);
  transport.keepLarge = lane.keepLarge;
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if (!lane.take(message)) onmessage?.(message);
  };
  const tools = await link.open(tried.time);
  // From here on the loss of the connection is reported as an event; until here it made the dial (attempt to connect) fail.
  onLost = (text) => link.lose({ text });
  return { link, tools };
};

/** Sends messages over HTTP. `toolHeaders`: undefined for servers of protocol 2025-11-25 and older. */
const carrierOf = (
  transport: StreamableHTTPClientTransport,
  toolHeaders: ToolHeaders | undefined,
  lose: (text: string) => void,
  streams: Posted[] = [],
): Carrier => ({
  post: (frame, posted) => {
    const { signal } = posted;
    const streamEnded = (): void => {
      if (posted.end({ how: 'lost', last: { text: CUT_STREAM } }, true)) lose(CUT_STREAM);
    };
    const ours = toolHeaders?.for(frame) ?? { headers: {} };
    if ('fault' in ours) {
      posted.end({ how: 'response', error: { code: RPC.invalidParams, message: ours.fault } }, false);
      return;
    }
    const options = { requestSignal: signal, onRequestStreamEnd: streamEnded, headers: ours.headers };
    transport.send(frame, options).catch((thrown: unknown) => {
      if (signal.aborted) return;
      const { end, sent, text } = refusalEnd(thrown);
      const isFailed = end.how === 'lost' || end.how === 'server_error';
      if (posted.end(isFailed ? { ...end, last: { text } } : end, sent) && end.how === 'lost') lose(text);
    });
  },
  // Servers of protocol 2026-07-28 accept no notifications; closing a request's stream cancels the request.
  notify: (frame) => {
    if (toolHeaders === undefined) transport.send(frame).catch(() => {});
  },
  // The oldest streams are closed, because a server that never ends its streams would keep one more socket open with every response.
  answered: (posted) => {
    streams.push(posted);
    if (streams.length > SWITCHBOARD_LIMITS.answeredStreams) streams.shift()?.cut();
  },
});

const ALIVE: LinkEnd = { how: 'response', result: {} };

const lineOf = (
  { url, headers }: HttpConnection,
  transport: StreamableHTTPClientTransport,
  { nowMs, epochMs }: DialDeps,
  lose: (text: string) => void,
): LinkLine => ({
  pid: undefined,
  noise: 0,
  stderr: '',
  /** Checks that the server is alive, with an OPTIONS request, which is not an MCP request. Any response but a refusal (401, 503 …) means yes. */
  liveness: async (timeoutMs) => {
    const began = nowMs();
    const answer = (end: LinkEnd, sent: boolean): LinkAnswer => {
      return { end, sent, frames: 0, elapsedMs: nowMs() - began };
    };
    const over = AbortSignal.timeout(timeoutMs);
    try {
      const response = await linkFetch(epochMs)(url, { method: 'OPTIONS', headers, signal: over });
      await response.body?.cancel();
      return answer(ALIVE, true);
    } catch (thrown) {
      if (over.aborted) return answer({ how: 'timeout' }, true);
      const { end, sent, text } = refusalEnd(thrown);
      if (end.how === 'lost') lose(text);
      // HTTP 501 (method not supported) shows that the server is alive.
      return end.how === 'server_error' && end.status === 501 ? answer(ALIVE, true) : answer(end, sent);
    }
  },
  end: async () => {
    await within(
      transport.terminateSession().catch(() => {}),
      SWITCHBOARD_LIMITS.sessionEndMs,
    );
    await transport.close().catch(() => {});
  },
});
