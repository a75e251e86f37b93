// A proxy on loopback that knows where the messages between a PostgreSQL client and server begin and end: it counts statements and round
// trips, and can cut a connection before, in the middle of, or after any of them, delay, freeze and refuse. It never changes a byte.
import { once } from 'node:events';
import * as net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { asksForEncryption, StatementReader, type WireMessage, WireReader } from './postgres-messages.js';

/** What a client sends at once and waits for: a simple query, or a series of messages that ends with Sync. */
export interface Exchange {
  /** From 0, in the order in which they came, over all connections. */
  readonly index: number;
  /** Connections are counted from 0. */
  readonly connection: number;
  /** The statements that it runs. */
  readonly texts: readonly string[];
}

/** Where a connection can be cut, in the order of an exchange. */
export const CUTS = [
  'before', // the server never sees the statement
  'half', // the server gets half of its bytes
  'sent', // the server gets it whole, the client no answer: whether it runs to its end is the server's affair
  'late', // the same, but the server gets it when the client has long known that its connection is gone
  'done', // the server has answered it, the client gets nothing of the answer
  'half answer', // the client gets half of the answer's bytes
  'answered', // the client gets the whole answer, then the connection is gone
] as const;
export type Cut = (typeof CUTS)[number];

/** Decides what becomes of an exchange, when the client has sent all of it. */
export type ProxyRule = (exchange: Exchange) => Cut | 'pass';

const ENCRYPTION_REFUSED = 'N';
const SYNC_OR_QUERY = ['S', 'Q'];
/** Of these the server answers nothing before a Sync, or a Flush, with which they are handed on. */
const HELD_UNTIL_SYNC = ['P', 'B', 'D', 'E', 'C'];
const READY = 'Z';

interface Pending {
  readonly cut: Cut | 'pass';
  answer: Buffer[];
}

const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length >> 1);

class ProxiedConnection {
  readonly #proxy: PostgresProxy;
  readonly #number: number;
  readonly #client: net.Socket;
  readonly #server: net.Socket;
  readonly #statements = new StatementReader();
  readonly #pending: Pending[] = [];
  #held: WireMessage[] = [];
  #texts: string[] = [];
  #isCut = false;

  constructor(proxy: PostgresProxy, number: number, client: net.Socket, server: net.Socket) {
    this.#proxy = proxy;
    this.#number = number;
    this.#client = client;
    this.#server = server;
    this.#follow(client, new WireReader('client'), (message) => this.#fromClient(message));
    this.#follow(server, new WireReader('server'), (message) => this.#fromServer(message));
  }

  #follow(from: net.Socket, reader: WireReader, take: (message: WireMessage) => void): void {
    from.setNoDelay(true);
    let before: Promise<void> = Promise.resolve();
    from.on('error', () => {}); // 'close' follows
    from.on('close', () => {
      before = before.then(() => this.cut());
    });
    from.on('data', (bytes: Buffer) => {
      const delayed = this.#proxy.delayMs > 0 ? sleep(this.#proxy.delayMs) : undefined;
      // In order: no piece passes another, whatever the delay was when it came.
      before = before.then(async () => {
        await delayed;
        await this.#proxy.thawed;
        for (const message of reader.take(bytes)) if (!this.#isCut) take(message);
      });
    });
  }

  /** `serverGets`: sent to the server before its side ends in order, as that of a client that has died. */
  cut(serverGets: Buffer = Buffer.alloc(0), afterMs = 0): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#proxy.forget(this);
    this.#client.destroySoon();
    if (afterMs === 0) this.#server.end(serverGets);
    else setTimeout(() => this.#server.end(serverGets), afterMs);
  }

  #fromClient(message: WireMessage): void {
    if (asksForEncryption(message)) {
      this.#client.write(ENCRYPTION_REFUSED);
      return;
    }
    const text = this.#statements.read(message);
    if (text !== undefined) this.#texts.push(text);
    if (SYNC_OR_QUERY.includes(message.type)) this.#exchange(message);
    else if (HELD_UNTIL_SYNC.includes(message.type)) this.#held.push(message);
    else this.#server.write(Buffer.concat([...this.#release(), message.bytes]));
  }

  #release(): Buffer[] {
    const held = this.#held.map(({ bytes }) => bytes);
    this.#held = [];
    return held;
  }

  #exchange(last: WireMessage): void {
    const bytes = Buffer.concat([...this.#release(), last.bytes]);
    const cut = this.#proxy.decide({ connection: this.#number, texts: this.#texts });
    this.#texts = [];
    if (cut === 'before') this.cut();
    else if (cut === 'half') this.cut(half(bytes));
    else if (cut === 'sent') this.cut(bytes);
    else if (cut === 'late') this.cut(bytes, this.#proxy.lateMs);
    else {
      this.#pending.push({ cut, answer: [] });
      this.#server.write(bytes);
    }
  }

  #fromServer(message: WireMessage): void {
    const [pending] = this.#pending;
    if (pending === undefined || pending.cut === 'pass') this.#client.write(message.bytes);
    else pending.answer.push(message.bytes);
    if (message.type !== READY || pending === undefined) return;
    this.#pending.shift();
    this.#proxy.answered();
    if (pending.cut !== 'pass') this.#cutAfter(pending);
  }

  #cutAfter({ cut, answer }: Pending): void {
    const bytes = Buffer.concat(answer);
    const shown = cut === 'done' ? Buffer.alloc(0) : cut === 'half answer' ? half(bytes) : bytes;
    this.#client.write(shown, () => this.cut());
  }
}

export class PostgresProxy {
  readonly #listener: net.Server;
  readonly #open = new Set<ProxiedConnection>();
  #connections = 0;
  #statements = 0;
  #exchanges = 0;
  #roundTrips = 0;
  #thaw: (() => void) | undefined;
  /** Where new connections lead. */
  target: net.NetConnectOpts;
  /** Whether new connections are closed at once. */
  refusing = false;
  /** How long each piece waits before it is handed on, in both directions. */
  delayMs = 0;
  /** How long what comes late is on its way. */
  lateMs = 150;
  rule: ProxyRule = () => 'pass';
  /** Everything waits for it. */
  thawed: Promise<void> = Promise.resolve();

  private constructor(target: net.NetConnectOpts) {
    this.target = target;
    this.#listener = net.createServer((client) => this.#accept(client));
  }

  /** Begins to listen on a free port. */
  static async before(target: net.NetConnectOpts): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(target);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as net.AddressInfo).port;
  }

  /** The address of the same database through this proxy. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.searchParams.delete('host');
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  /** Statements that clients have sent. */
  get statements(): number {
    return this.#statements;
  }

  /** Exchanges that the server has answered to its end. */
  get roundTrips(): number {
    return this.#roundTrips;
  }

  get connections(): number {
    return this.#open.size;
  }

  #accept(client: net.Socket): void {
    if (this.refusing) {
      client.on('error', () => {}); // the client may be gone already
      client.destroy();
      return;
    }
    this.#open.add(new ProxiedConnection(this, this.#connections++, client, net.connect(this.target)));
  }

  /** For connections: what becomes of an exchange. */
  decide(exchange: Omit<Exchange, 'index'>): Cut | 'pass' {
    this.#statements += exchange.texts.length;
    return this.rule({ ...exchange, index: this.#exchanges++ });
  }

  /** For connections: an exchange was answered. */
  answered(): void {
    this.#roundTrips += 1;
  }

  /** For connections: one has ended. */
  forget(connection: ProxiedConnection): void {
    this.#open.delete(connection);
  }

  /** Cuts every connection there is, wherever it stands. */
  cutAll(): number {
    const open = [...this.#open];
    for (const connection of open) connection.cut();
    return open.length;
  }

  /** Hands nothing on until `thaw`: what a server looks like whose machine has stopped. Connections stay open. */
  freeze(): void {
    this.thawed = new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  thaw(): void {
    this.#thaw?.();
  }

  async close(): Promise<void> {
    this.thaw();
    this.#listener.close();
    this.cutAll();
    await once(this.#listener, 'close');
  }
}
