// Splits what a PostgreSQL client and server say to each other into messages (protocol 3.0, "Message Formats" of its manual). Pure: bytes in, messages out.

export interface WireMessage {
  /** The letter that says what it is; empty for a message before the start of a session. */
  readonly type: string;
  /** The whole message as it came. */
  readonly bytes: Buffer;
  readonly body: Buffer;
}

/** Bytes before the body: the length alone, or a letter and the length. The length counts itself. */
const UNTYPED_HEADER = 4;
const TYPED_HEADER = 5;
/** The first messages of a client have no letter; these numbers stand where others have the protocol's version. */
const ASKS_FOR_ENCRYPTION = [80_877_103, 80_877_104];

export class WireReader {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted: boolean;

  /** `side`: whose bytes these are. */
  constructor(side: 'client' | 'server') {
    this.#isStarted = side === 'server';
  }

  /** The messages that are complete with these bytes. */
  take(bytes: Buffer): WireMessage[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: WireMessage[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) messages.push(next);
    return messages;
  }

  #next(): WireMessage | undefined {
    const header = this.#isStarted ? TYPED_HEADER : UNTYPED_HEADER;
    if (this.#rest.length < header) return undefined;
    const end = this.#rest.readInt32BE(header - UNTYPED_HEADER) + header - UNTYPED_HEADER;
    if (this.#rest.length < end) return undefined;
    const bytes = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end);
    const message = {
      type: this.#isStarted ? String.fromCharCode(bytes[0] ?? 0) : '',
      bytes,
      body: bytes.subarray(header),
    };
    if (!asksForEncryption(message)) this.#isStarted = true;
    return message;
  }
}

export const asksForEncryption = ({ type, body }: WireMessage): boolean =>
  type === '' && body.length === 4 && ASKS_FOR_ENCRYPTION.includes(body.readInt32BE(0));

const zeroEnded = (body: Buffer, from: number): { readonly text: string; readonly end: number } => {
  const end = body.indexOf(0, from);
  return { text: body.toString('utf8', from, end), end: end + 1 };
};

/** Follows a client's messages and says which statement each of them runs. */
export class StatementReader {
  readonly #prepared = new Map<string, string>();
  readonly #bound = new Map<string, string>();

  /** The text that this message has the server run; undefined for all other messages. */
  read({ type, body }: WireMessage): string | undefined {
    const first = zeroEnded(body, 0);
    if (type === 'Q') return first.text;
    if (type === 'P') this.#prepared.set(first.text, zeroEnded(body, first.end).text);
    if (type === 'B') this.#bound.set(first.text, this.#prepared.get(zeroEnded(body, first.end).text) ?? '');
    return type === 'E' ? (this.#bound.get(first.text) ?? '') : undefined;
  }
}
