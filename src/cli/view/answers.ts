// The answers of `colibri view`: the page, its data, the proof of what it shows, and the events.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashes } from '../../ledger/hashes.js';
import { LIVE_DATA, type PinnedParts, pinned, writeLivePage } from '../../page/html.js';
import { CLI_LIMITS } from '../limits.js';
import { pageParts } from '../page/parts.js';
import { oneLine, tell } from '../screen/print.js';
import { pageBefore, pageUntil, proofBetween } from './data.js';
import { feed } from './feed.js';
import { type Admission, COOKIE, isSame, OPENING, refusalOf, viewHeaders } from './guard.js';
import { parsePosition } from './position.js';
import type { ViewSource } from './source.js';

interface Work {
  readonly source: ViewSource;
  readonly parts: PinnedParts;
  readonly admission: Admission;
  readonly signal: AbortSignal;
}

const end = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
};

/**
 * Gives the cookie and leads to the page. Not by a redirect: the browser came from a file, and a SameSite=Strict cookie is not sent
 * with a request that began on another site.
 */
const open = (response: ServerResponse, { admission }: Work): void => {
  response.setHeader('Set-Cookie', `${COOKIE}=${admission.cookie}; HttpOnly; SameSite=Strict; Path=/`);
  end(
    response,
    200,
    'text/html',
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Colibri</title>',
  );
};

const wholeNumber = (text: string | null): number => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : -1);

/** Whether a text is a moment as records write it. */
const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

const wrongQuestion = (response: ServerResponse): void =>
  end(response, 400, 'text/plain', 'Not a question that this page asks.\n');

type Answer = (
  response: ServerResponse,
  work: Work,
  asked: URLSearchParams,
  request: IncomingMessage,
) => Promise<void> | void;

const data: Answer = async (response, { source }, asked) => {
  const [before, until] = [parsePosition(asked.get('before') ?? ''), asked.get('until')];
  if (before === undefined || (until !== null && !isMoment(until))) return wrongQuestion(response);
  const page = until === null ? pageBefore(source, before) : pageUntil(source, until);
  end(response, 200, 'application/json', JSON.stringify(await page));
};

const proof: Answer = async (response, { source }, asked) => {
  const found = await proofBetween(
    source,
    asked.get('log') ?? '',
    wholeNumber(asked.get('from')),
    wholeNumber(asked.get('to')),
  );
  if (found === undefined) return wrongQuestion(response);
  end(response, 200, 'application/json', JSON.stringify(found));
};

const events: Answer = async (response, { source, signal }, asked, { headers }) => {
  const last = headers['last-event-id'];
  const from = parsePosition(typeof last === 'string' ? last : (asked.get('from') ?? ''));
  if (from === undefined) return wrongQuestion(response);
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  await feed(source, response, from, signal);
};

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/': (response, { parts }) => end(response, 200, 'text/html', writeLivePage(parts)),
  [OPENING]: open,
  '/data': data,
  '/proof': proof,
  '/events': events,
};

const answer = async (request: IncomingMessage, response: ServerResponse, work: Work): Promise<void> => {
  const { method, url = '', headers } = request;
  for (const [name, value] of Object.entries(viewHeaders(work.parts))) response.setHeader(name, value);
  const refused = refusalOf({ method, url, headers }, work.admission);
  if (refused !== undefined) return end(response, refused.status, 'text/plain', `${refused.says}\n`);
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const found = Object.hasOwn(ANSWERS, pathname) ? ANSWERS[pathname] : undefined;
  if (found === undefined) return end(response, 404, 'text/plain', 'There is no such page.\n');
  await found(response, work, searchParams, request);
};

export interface Viewing {
  readonly server: Server;
  /** The address of the page; it opens with the cookie alone. */
  readonly address: string;
  /** The address with the one-time token. */
  readonly opening: string;
}

const secret = (): string => randomBytes(32).toString('base64url');

const admissionTo = (host: string, token: string): Admission => {
  let isSpent = false;
  const spend = (given: string): boolean => {
    if (isSpent || !isSame(given, token)) return false;
    isSpent = true;
    return true;
  };
  return { host, cookie: secret(), spend };
};

const listening = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve((server.address() as AddressInfo).port));
  });

/** Serves the page on 127.0.0.1 until `signal` is aborted. Port 0: any that is free. */
export const serveView = async (source: ViewSource, port: number, signal: AbortSignal): Promise<Viewing> => {
  const parts = pinned(pageParts(), LIVE_DATA, hashes);
  const token = secret();
  let work: Work | undefined;
  let said = '';
  /** Once, and not each time that a page tries again. */
  const tellOnce = (words: string): void => {
    if (words !== said) tell(`colibri: ${words}`);
    said = words;
  };
  const server = createServer(
    {
      maxHeaderSize: CLI_LIMITS.viewHeaderBytes,
      requestTimeout: CLI_LIMITS.viewStallMs,
      headersTimeout: CLI_LIMITS.viewHeadersMs,
      connectionsCheckingInterval: CLI_LIMITS.viewLookMs,
    },
    (request, response) => {
      request.resume();
      if (work === undefined) return void response.destroy();
      answer(request, response, work).catch((thrown: unknown) => {
        tellOnce(oneLine(thrown));
        if (response.headersSent) response.destroy();
        else end(response, 500, 'text/plain', 'The store cannot be read; the terminal says why.\n');
      });
    },
  );
  server.maxConnections = CLI_LIMITS.viewConnections;
  const host = `127.0.0.1:${await listening(server, port)}`;
  work = { source, parts, admission: admissionTo(host, token), signal };
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  signal.addEventListener('abort', close, { once: true });
  return { server, address: `http://${host}/`, opening: `http://${host}${OPENING}?token=${token}` };
};
