// A pooler in transaction mode, on loopback: a client has a session of the server for one transaction only, then others may get it. Like PgBouncer
// it gives out the session that was used last. The server must ask for no password.
import { once } from 'node:events';
import * as net from 'node:net';
import { asksForEncryption, type WireMessage, WireReader } from './postgres-messages.js';

const ENCRYPTION_REFUSED = 'N';
const READY = 'Z';
const TERMINATE = 'X';
const NO_TRANSACTION = 'I';

/** A connection to the server, and the client that has it now. */
interface Session {
  readonly socket: net.Socket;
  client: PooledClient | undefined;
}

class PooledClient {
  readonly #pooler: TransactionPooler;
  readonly #socket: net.Socket;
  #session: Session | undefined;

  constructor(pooler: TransactionPooler, socket: net.Socket) {
    this.#pooler = pooler;
    this.#socket = socket;
    const reader = new WireReader('client');
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => this.#session?.socket.destroy());
    socket.on('data', (bytes) => {
      for (const message of reader.take(bytes)) this.#take(message);
    });
  }

  #take(message: WireMessage): void {
    if (asksForEncryption(message)) this.#socket.write(ENCRYPTION_REFUSED);
    else if (message.type === TERMINATE) this.#socket.end();
    else {
      // The first message begins a session; later ones get whichever is free.
      this.#session ??= message.type === '' ? this.#pooler.begin(this) : this.#pooler.lend(this);
      this.#session.socket.write(message.bytes);
    }
  }

  answer({ bytes }: WireMessage): void {
    this.#socket.write(bytes);
  }

  giveBack(): void {
    this.#session = undefined;
  }

  cut(): void {
    this.#socket.destroy();
  }
}

export class TransactionPooler {
  readonly #port: number;
  readonly #listener: net.Server;
  readonly #clients = new Set<PooledClient>();
  readonly #sessions = new Set<Session>();
  readonly #free: Session[] = [];

  private constructor(port: number) {
    this.#port = port;
    this.#listener = net.createServer((socket) => this.#clients.add(new PooledClient(this, socket)));
  }

  static async before(port: number): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(port);
    pooler.#listener.listen(0, '127.0.0.1');
    await once(pooler.#listener, 'listening');
    return pooler;
  }

  get port(): number {
    return (this.#listener.address() as net.AddressInfo).port;
  }

  begin(client: PooledClient): Session {
    const session: Session = { socket: net.connect(this.#port, '127.0.0.1'), client };
    const reader = new WireReader('server');
    this.#sessions.add(session);
    session.socket.on('error', () => {}); // 'close' follows
    session.socket.on('close', () => {
      this.#sessions.delete(session);
      session.client?.cut();
    });
    session.socket.on('data', (bytes) => {
      for (const message of reader.take(bytes)) this.#answer(session, message);
    });
    return session;
  }

  lend(client: PooledClient): Session {
    const session = this.#free.pop();
    if (session === undefined) return this.begin(client);
    session.client = client;
    return session;
  }

  #answer(session: Session, message: WireMessage): void {
    const { client } = session;
    client?.answer(message);
    if (message.type !== READY || message.body.toString() !== NO_TRANSACTION) return;
    session.client = undefined;
    client?.giveBack();
    this.#free.push(session);
  }

  async close(): Promise<void> {
    this.#listener.close();
    for (const client of this.#clients) client.cut();
    for (const { socket } of this.#sessions) socket.destroy();
    await once(this.#listener, 'close');
  }
}
