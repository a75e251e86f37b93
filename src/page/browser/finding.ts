// What the check of one file found.
import { type Child, h } from './dom.js';

export interface FileFinding {
  readonly good: boolean;
  readonly text: string;
  readonly more?: Child;
}

export const findingView = (name: string, { good, text, more }: FileFinding): HTMLElement =>
  h(
    'div',
    { class: `finding ${good ? 'good' : 'bad'}` },
    h('p', {}, h('b', {}, good ? '\u2713 holds' : '\u2717 does not hold'), ` ${name}`),
    h('p', {}, text),
    more,
  );
