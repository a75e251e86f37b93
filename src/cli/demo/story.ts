// What the demo says, as it happens. A claim is printed after it was checked and not otherwise: the first that does not
// hold ends the demo.
import { type Colour, paint, plain, say, sayExactly, sayJson } from '../screen/print.js';
import { wrapped } from '../screen/width.js';

/** Something that was checked. */
export interface DemoClaim {
  readonly claim: string;
  /** What can be shown of it. */
  readonly lines?: readonly string[];
  /** The same for a program. */
  readonly data?: Readonly<Record<string, unknown>>;
}

interface Step {
  readonly title: string;
  readonly intro: string;
  readonly claims: Omit<DemoClaim, 'lines'>[];
}

/** A claim that does not hold. */
export class ClaimFailed extends Error {
  readonly claim: string;
  readonly found: unknown;

  constructor(claim: string, found: unknown) {
    super(`This should hold and does not: ${claim}`);
    this.name = 'ClaimFailed';
    this.claim = claim;
    this.found = found;
  }
}

const COLUMNS = 80;
const MARGIN = '   ';
const BELOW_CLAIM = `${MARGIN}    `;

/** The indent of a text stays with all its lines. */
const block = (text: string, margin: string, colour?: Colour): void => {
  const [indent = ''] = /^ */.exec(text) ?? [];
  const before = `${margin}${indent}`;
  for (const line of wrapped(plain(text.slice(indent.length)), COLUMNS - before.length))
    say(`${before}${colour === undefined ? line : paint(colour, line)}`);
};

export class Story {
  readonly steps: Step[] = [];
  readonly #json: boolean;
  #isQuiet: boolean;

  constructor(json: boolean) {
    this.#json = json;
    this.#isQuiet = json;
  }

  /** Whoever interrupted it reads nothing more of it, though the play may come to the end of its scene. */
  stop(): void {
    this.#isQuiet = true;
  }

  /** For people only. */
  tell(text = ''): void {
    if (this.#isQuiet) return;
    if (text === '') say();
    else block(text, '');
  }

  /** A command to copy: in one line, however long. */
  show(line: string): void {
    if (!this.#isQuiet) sayExactly(plain(line));
  }

  begin(title: string, intro: string): void {
    this.steps.push({ title, intro, claims: [] });
    if (this.#isQuiet) return;
    say();
    say(paint('bold', `${this.steps.length}. ${title}`));
    block(intro, MARGIN);
    say();
  }

  /** Says it if it is so. `found`: what was there instead. */
  claim(holds: boolean, { claim, lines = [], data }: DemoClaim, found: unknown): asserts holds {
    if (!holds) throw new ClaimFailed(claim, found);
    this.steps.at(-1)?.claims.push({ claim, ...(data && { data }) });
    if (this.#isQuiet) return;
    const [first = '', ...more] = wrapped(plain(claim), COLUMNS - BELOW_CLAIM.length);
    say(`${MARGIN}${paint('green', 'ok')}  ${first}`);
    for (const line of more) say(`${BELOW_CLAIM}${line}`);
    for (const line of lines) block(line, `${BELOW_CLAIM}  `, 'dim');
  }

  /** The whole of it, for a program. */
  end(rest: Readonly<Record<string, unknown>>): void {
    if (this.#json) sayJson({ ...rest, steps: this.steps });
  }
}
