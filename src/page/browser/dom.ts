// Makes elements. The only place that does: every text becomes a text node, with invisible and reordering characters made visible, and a link
// leads to a place in this page and nowhere else.
import { plainBut } from '../../core/plain.js';
import { PAGE_LIMITS } from './limits.js';

export type Child = Node | string | number | null | undefined | false | readonly Child[];

/** The attributes of an element; `on` are its listeners. There is no `style` and no `href`: see `linkTo`. */
export interface Props {
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
  readonly [attribute: string]: unknown;
}

const harmless = (text: string): string => plainBut(text, '\n\t');

const append = (parent: Node, child: Child): void => {
  if (child === null || child === undefined || child === false) return;
  if (child instanceof Node) parent.appendChild(child);
  else if (typeof child === 'object') for (const one of child) append(parent, one);
  else parent.appendChild(document.createTextNode(harmless(String(child))));
};

const dressed = <E extends Element>(element: E, { on = {}, ...attributes }: Props, children: readonly Child[]): E => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false && value !== null)
      element.setAttribute(name, value === true ? '' : harmless(String(value)));
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  for (const child of children) append(element, child);
  return element;
};

export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] => dressed(document.createElement(tag), props, children);

export const svg = <K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] => dressed(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);

/** Where a link leads: a view and, in it, one thing. */
export const hashOf = (view: string, id = ''): string => `#${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}`;

export const linkTo = (place: string, props: Props, ...children: Child[]): HTMLAnchorElement => {
  const link = h('a', props, ...children);
  link.setAttribute('href', place.startsWith('#') ? place : '#');
  return link;
};

export const replace = (element: Element, ...children: Child[]): void => {
  element.replaceChildren();
  for (const child of children) append(element, child);
};

const cutAt = (text: string, most: number): string => text.slice(0, most).toWellFormed();

/** A text of any length: the beginning, and a button for the rest. */
export const longText = (text: string, props: Props = {}): HTMLElement => {
  if (text.length <= PAGE_LIMITS.textChars) return h('pre', props, text);
  const body = h('pre', props, cutAt(text, PAGE_LIMITS.textChars));
  const left = text.length - PAGE_LIMITS.textChars;
  const more = h('button', { type: 'button', class: 'more' }, `${left.toLocaleString('en')} more characters`);
  more.addEventListener('click', () => {
    replace(body, cutAt(text, PAGE_LIMITS.mostTextChars));
    more.remove();
  });
  return h('div', {}, body, more);
};
