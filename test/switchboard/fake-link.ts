// A server without a process: connections that keep the contract of link.ts, and a clock that tests move by hand.

import type {
  DeclaredTool,
  Dial,
  DialEnd,
  DialRequest,
  Link,
  LinkAnswer,
  LinkEnd,
  LinkRequest,
} from '../../src/switchboard/link/link.js';
import type { BackendDeps } from '../../src/switchboard/server/world.js';

const WALL = Date.UTC(2026, 0, 1);
const DRAIN_MS = 5_000;

export class FakeClock {
  now = 0;
  wallMs = (): number => WALL + this.now;
  readonly timers = new Set<{ readonly at: number; readonly fire: () => void }>();

  readonly setTimer: BackendDeps['setTimer'] = (ms, fire) => {
    const timer = { at: this.now + ms, fire };
    this.timers.add(timer);
    return { cancel: () => void this.timers.delete(timer) };
  };

  /** Lets everything happen that is due within `ms`, in order. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.timers.delete(next);
      this.now = Math.max(this.now, next.at);
      next.fire();
      await settle();
    }
    this.now = end;
  }
}

/** Until no promise has anything left to do. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type DialManner = 'ok' | 'fault' | 'hang' | 'late' | 'throw' | 401 | 403 | 429;
export const CALL_MANNERS = [
  ...(['result', 'isError', 'error', 'silent', 'progress', 'crash', 'server_error', 'unsent', 'reject'] as const),
  ...([401, 403, 429] as const),
];
export type CallManner = (typeof CALL_MANNERS)[number];

/** How the server behaves from now on. */
export interface Manners {
  dial: DialManner;
  call: CallManner;
  check: CallManner;
  delayMs: number;
  tools: readonly DeclaredTool[];
  /** Whether a loss is told before or after the requests in flight end by it. */
  lostFirst: boolean;
  retryAfterMs: number | null;
}

export const TOOLS: readonly DeclaredTool[] = [
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'put', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
  { name: 'act', inputSchema: { type: 'object' } },
  { name: 'probe', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

export class FakeServer {
  readonly clock: FakeClock;
  readonly manners: Manners = {
    dial: 'ok',
    call: 'result',
    check: 'result',
    delayMs: 10,
    tools: TOOLS,
    lostFirst: true,
    retryAfterMs: 1_000,
  };
  readonly links: FakeLink[] = [];
  readonly dials: DialRequest[] = [];
  onSend: (link: FakeLink, request: LinkRequest) => void = () => {};

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  get last(): FakeLink {
    const link = this.links.at(-1);
    if (link === undefined) throw new Error('nothing was dialled');
    return link;
  }

  readonly dial: Dial = (request) => {
    this.dials.push(request);
    const { dial, delayMs } = this.manners;
    if (dial === 'throw') throw new Error('no dial');
    return new Promise((resolve) => {
      const end = (): void => resolve(this.#end(request, dial));
      if (dial === 'late') request.signal.addEventListener('abort', end);
      else if (dial === 'hang')
        request.signal.addEventListener('abort', () => resolve({ fault: 'exited', text: 'given up' }));
      else this.clock.setTimer(delayMs, end);
    });
  };

  #end(request: DialRequest, manner: DialManner): DialEnd {
    if (manner === 'fault') return { fault: 'handshake_refused', text: 'no' };
    if (manner === 401 || manner === 403) return { auth: manner };
    if (manner === 429) return { throttled: this.manners.retryAfterMs };
    const link = new FakeLink(this, request);
    this.links.push(link);
    return { link, tools: this.manners.tools };
  }
}

/** The capability check of a test says so in its arguments. */
const isCheck = ({ params }: LinkRequest): boolean =>
  (params?.arguments as { check?: boolean } | undefined)?.check === true;

interface Pending {
  readonly end: (end: LinkEnd, sent?: boolean) => void;
}

export class FakeLink implements Link {
  readonly dial: number;
  readonly era = 'legacy';
  readonly capabilities = { tools: {} };
  readonly instructions = undefined;
  readonly pid = undefined;
  noise = 0;
  readonly stderr = '';
  /** Calls in flight, checks not among them. */
  inFlight = 0;
  /** By us. */
  closed: 'no' | 'draining' | 'yes' = 'no';
  isDead = false;
  /** True if nobody waited for the connection any more when it was made: it may be closed, and must not be used. */
  readonly isLate: boolean;
  readings = 0;
  readonly #server: FakeServer;
  readonly #request: DialRequest;
  readonly #pending = new Set<Pending>();
  #drained = (): void => {};

  constructor(server: FakeServer, request: DialRequest) {
    this.#server = server;
    this.#request = request;
    this.dial = request.dial;
    this.isLate = request.signal.aborted;
  }

  send(request: LinkRequest, done: (answer: LinkAnswer) => void): void {
    if (this.#server.manners.call === 'reject' && this.closed !== 'yes' && !this.isDead) {
      this.#server.onSend(this, request);
      throw new Error('broken promise');
    }
    void this.request(request).then(done);
  }

  async request(request: LinkRequest): Promise<LinkAnswer> {
    const weight = isCheck(request) ? 0 : 1;
    if (weight > 0) this.#server.onSend(this, request);
    this.inFlight += weight;
    try {
      return await this.#ask(request, this.#server.manners.call);
    } finally {
      this.inFlight -= weight;
    }
  }

  check(_signal: string, timeoutMs: number): Promise<LinkAnswer> {
    return this.#ask({ method: 'ping', timeoutMs }, this.#server.manners.check);
  }

  async list(): Promise<readonly Record<string, unknown>[]> {
    return [];
  }

  notify(): void {}

  watch(): void {}

  async listTools(): Promise<readonly DeclaredTool[]> {
    this.readings += 1;
    return this.#server.manners.tools;
  }

  listChanged(): void {
    this.#request.events.listChanged('tools');
  }

  /** The process ends by itself. */
  crash(): void {
    if (this.closed === 'yes' || this.isDead) return;
    const tell = (): void => {
      if (this.closed === 'no') this.#request.events.lost({ text: 'exit 1' });
    };
    this.isDead = true;
    if (this.#server.manners.lostFirst) tell();
    this.#loseAll();
    if (!this.#server.manners.lostFirst) void settle().then(tell);
  }

  async close(drain: boolean): Promise<void> {
    if (drain && this.closed === 'no' && this.#pending.size > 0) {
      this.closed = 'draining';
      const timer = this.#server.clock.setTimer(DRAIN_MS, () => this.#drained());
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
      timer.cancel();
    }
    this.closed = 'yes';
    this.#loseAll();
    this.#drained();
  }

  #loseAll(): void {
    for (const { end } of [...this.#pending]) end({ how: 'lost' });
  }

  #ask({ timeoutMs, cancellation, onProgress }: LinkRequest, manner: CallManner): Promise<LinkAnswer> {
    if (this.closed === 'yes' || this.isDead || manner === 'unsent') return Promise.resolve(UNSENT);
    if (manner === 'reject') return Promise.reject(new Error('broken promise'));
    const { clock, manners } = this.#server;
    const begun = clock.now;
    let frames = 0;
    return new Promise((resolve) => {
      const pending: Pending = {
        end: (end, sent = true) => {
          if (!this.#pending.delete(pending)) return;
          for (const timer of timers) timer.cancel();
          unlisten?.();
          resolve({ end, sent, frames: frames + (end.how === 'response' ? 1 : 0), elapsedMs: clock.now - begun });
          if (this.#pending.size === 0) this.#drained();
        },
      };
      const cancel = (): void => pending.end({ how: 'cancelled' });
      this.#pending.add(pending);
      const timers = [clock.setTimer(timeoutMs, () => pending.end({ how: 'timeout' }))];
      const unlisten = cancellation?.listen(cancel);
      const act = (): void => {
        if (manner === 'crash') this.crash();
        else if (manner === 'progress') frames += 1;
        if (manner === 'progress') onProgress?.({ progress: frames });
        const end = endOf(manner, manners.retryAfterMs);
        if (end !== undefined) pending.end(end, typeof manner !== 'number');
      };
      timers.push(clock.setTimer(manners.delayMs, act));
      if (cancellation?.aborted === true) pending.end({ how: 'cancelled' }, false);
    });
  }
}

const UNSENT: LinkAnswer = { end: { how: 'lost' }, sent: false, frames: 0, elapsedMs: 0 };

const endOf = (manner: CallManner, retryAfterMs: number | null): LinkEnd | undefined => {
  if (manner === 'result') return { how: 'response', result: { content: [{ type: 'text', text: 'well' }] } };
  if (manner === 'isError') return { how: 'response', result: { content: [], isError: true } };
  if (manner === 'error') return { how: 'response', error: { code: -32_601, message: 'no such method' } };
  if (manner === 'server_error') return { how: 'server_error', status: 502 };
  if (manner === 401 || manner === 403) return { how: 'auth_required', status: manner };
  return manner === 429 ? { how: 'throttled', retryAfterMs } : undefined;
};
