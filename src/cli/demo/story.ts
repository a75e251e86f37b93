// Prints the demo while it runs. A claim is printed only after it was checked; the first claim that does not hold ends the demo.
import { type Colour, paint, plain, say, sayExactly, sayJson } from '../screen/print.js';
import { wrapped } from '../screen/width.js';

/** A statement about Colibri that the demo has checked. */
interface DemoClaim {
  readonly claim: string;
  /** Details to print below the statement. */
  readonly lines?: readonly string[];
  /** Details to print with `--json`. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** What the demo prints if the claim does not hold; `data` if left out. */
  readonly found?: unknown;
}

interface Step {
  readonly title: string;
  readonly intro: string;
  readonly claims: Pick<DemoClaim, 'claim' | 'data'>[];
}

/** Thrown for a claim that does not hold. */
export class ClaimFailed extends Error {
  readonly found: unknown;

  constructor(claim: string, found: unknown) {
    super(`This claim did not hold: ${claim}`);
    this.found = found;
  }
}

const COLUMNS = 80;
const MARGIN = '   ';
const BELOW_CLAIM = `${MARGIN}    `;

/** Prints a wrapped text; all its lines get the same indent. */
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

  /** Stops all printing after an interrupt, although the current step may still finish. */
  stop(): void {
    this.#isQuiet = true;
  }

  /** Prints text for people; prints nothing with `--json`. */
  tell(text = ''): void {
    if (this.#isQuiet) return;
    if (text === '') say();
    else block(text, '');
  }

  /** Prints a command to copy, without wrapping. */
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

  /** Prints the claim if it holds, otherwise throws. */
  claim(holds: boolean, { claim, lines = [], data, found = data }: DemoClaim): asserts holds {
    if (!holds) throw new ClaimFailed(claim, found);
    this.steps.at(-1)?.claims.push({ claim, ...(data && { data }) });
    if (this.#isQuiet) return;
    const [first = '', ...more] = wrapped(plain(claim), COLUMNS - BELOW_CLAIM.length);
    say(`${MARGIN}${paint('green', 'ok')}  ${first}`);
    for (const line of more) say(`${BELOW_CLAIM}${line}`);
    for (const line of lines) block(line, `${BELOW_CLAIM}  `, 'dim');
  }

  /** With `--json`, prints the whole story as JSON. */
  end(rest: Readonly<Record<string, unknown>>): void {
    if (this.#json) sayJson({ ...rest, steps: this.steps });
  }
}
