// Pieces that several views use: sections, facts, tables, pagers.
import { type Child, h, type Props } from './dom.js';

export const section = (title: string, ...children: Child[]): HTMLElement =>
  h('section', {}, h('h2', {}, title), ...children);

/** A section whose heading has something beside it, such as a mark. */
export const card = (title: string, beside: Child, ...children: Child[]): HTMLElement =>
  h('section', { class: 'card' }, h('h2', {}, title, ' ', beside), ...children);

export type Fact = readonly [name: string, value: Child];

export const facts = (...all: readonly (Fact | null)[]): HTMLElement =>
  h(
    'dl',
    { class: 'facts' },
    all.map((fact) => fact && [h('dt', {}, fact[0]), h('dd', {}, fact[1])]),
  );

export interface ColumnHead {
  readonly title: string;
  /** `num` aligns figures, `wide` gives the column the room that is left, `minor` hides it on narrow screens. */
  readonly kind?: string;
}

/** A table; a cell repeats its column's title for narrow screens, where rows become blocks. */
export const table = (
  caption: string,
  heads: readonly ColumnHead[],
  rows: readonly (readonly Child[])[],
  props: Props = {},
): HTMLElement =>
  h(
    'table',
    props,
    h('caption', {}, caption),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        heads.map(({ title, kind }) => h('th', { scope: 'col', class: kind }, title)),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map((cells) =>
        h(
          'tr',
          {},
          cells.map((cell, i) => h('td', { class: heads[i]?.kind, 'data-title': heads[i]?.title }, cell)),
        ),
      ),
    ),
  );

export const none = (text: string): HTMLElement => h('p', { class: 'none' }, text);

export const button = (text: string, act: () => void, props: Props = {}): HTMLButtonElement =>
  h('button', { type: 'button', ...props, on: { click: act } }, text);

/** Buttons for the pages of a list; nothing if there is one page. */
export const pager = (page: number, pages: number, go: (page: number) => void): Child =>
  pages > 1 &&
  h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    button('Newer', () => go(page - 1), { disabled: page === 0, 'data-key': 'newer' }),
    h('span', {}, `page ${page + 1} of ${pages}`),
    button('Older', () => go(page + 1), { disabled: page >= pages - 1, 'data-key': 'older' }),
  );
