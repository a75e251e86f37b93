// Finds the URIs of resources that the content blocks of a scanned result link to or contain (route/direct-call.ts finds them in a parsed
// result). It is told the names and values inside the member `content`.

/** The number of lists and objects around a content block: the answer, its result, the list of blocks. */
const BLOCK = 3;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_R = 0x72;

/** The members that are read, by the first byte of their names. */
const NAMES: readonly (Buffer | undefined)[] = [];
for (const name of ['type', 'uri', 'resource']) (NAMES as Buffer[])[name.charCodeAt(0)] = Buffer.from(name);

export class LinkScan {
  /** The most lists and objects around a value that is needed, which is `uri` in the `resource` of a block. */
  static readonly reported = BLOCK + 2;

  readonly found: string[] = [];
  /** The names of the members that are being read: of the block, and of its `resource`. Empty for members that are not needed. */
  #outer = '';
  #inner = '';
  #outerFrom = 0;
  #innerFrom = 0;
  #type: unknown;
  #uri: unknown;
  #resourceUri: unknown;

  name(depth: number, bytes: Buffer, from: number, to: number, hasEscapes: boolean): void {
    if (depth === BLOCK + 1) this.#outer = nameIn(bytes, from, to, hasEscapes);
    else if (depth === BLOCK + 2) this.#inner = nameIn(bytes, from, to, hasEscapes);
  }

  begin(depth: number, from: number): void {
    if (depth === BLOCK + 2) this.#innerFrom = from;
    else if (depth === BLOCK + 1) {
      this.#outerFrom = from;
      this.#inner = '';
      if (this.#outer === 'resource') this.#resourceUri = undefined;
    } else {
      this.#outer = '';
      this.#type = undefined;
      this.#uri = undefined;
      this.#resourceUri = undefined;
    }
  }

  end(depth: number, bytes: Buffer, to: number): void {
    if (depth === BLOCK) this.#endBlock();
    else if (depth === BLOCK + 1) {
      if (this.#outer === 'type')
        this.#type = mayLink(bytes, this.#outerFrom) ? textIn(bytes, this.#outerFrom, to) : '';
      else if (this.#outer === 'uri') this.#uri = textIn(bytes, this.#outerFrom, to);
    } else if (this.#outer === 'resource' && this.#inner === 'uri')
      this.#resourceUri = textIn(bytes, this.#innerFrom, to);
  }

  #endBlock(): void {
    const found =
      this.#type === 'resource_link' ? this.#uri : this.#type === 'resource' ? this.#resourceUri : undefined;
    if (typeof found === 'string') this.found.push(found);
  }
}

/** The name of a member, if it is one that is needed, else an empty text. Most names are told apart by their first byte. */
const nameIn = (bytes: Buffer, from: number, to: number, hasEscapes: boolean): string => {
  if (hasEscapes) return JSON.parse(bytes.toString('utf8', from - 1, to + 1));
  const name = NAMES[bytes[from] as number];
  if (name === undefined || name.length !== to - from) return '';
  return name.compare(bytes, from, to) === 0 ? name.toString() : '';
};

/** Whether a text may be the type of a block with a link. Most blocks are of another type, which need not be read. */
const mayLink = (bytes: Buffer, from: number): boolean => bytes[from + 1] === LETTER_R || bytes[from + 1] === BACKSLASH;

const textIn = (bytes: Buffer, from: number, to: number): unknown =>
  bytes[from] === QUOTE ? JSON.parse(bytes.toString('utf8', from, to)) : undefined;
