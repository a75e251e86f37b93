// Draws a place again that is drawn already, and leaves the reader where he was: the focus, what he opened, and a filter that he types into.
import { replace } from './dom.js';

/** The id of the part of a view that its filters change. */
export const LIST = 'list';

/** Puts a drawing in its place. In the same place, filters that are in use stay, and details that were open are open again. */
export const put = (main: Element, drawn: ParentNode & Node, isSamePlace: boolean): void => {
  const list =
    isSamePlace && document.activeElement?.closest('.filters') instanceof Element
      ? main.querySelector(`#${LIST}`)
      : null;
  const newList = drawn.querySelector(`#${LIST}`);
  if (list !== null && newList !== null) {
    list.replaceWith(newList);
    return;
  }
  const isOpen = isSamePlace ? [...main.querySelectorAll('details')].map(({ open }) => open) : [];
  replace(main, drawn);
  for (const [i, one] of main.querySelectorAll('details').entries()) one.open = isOpen[i] === true;
};

/** The key of the element that has the focus. */
export const focusedKey = (): string => document.activeElement?.getAttribute('data-key') ?? '';

/** Gives the focus back to the element of that key, if it was drawn again. */
export const focusAgain = (root: ParentNode, key: string): void => {
  if (key === '' || focusedKey() === key) return;
  const found = [...root.querySelectorAll<HTMLElement>('[data-key]')].find(
    (one) => one.getAttribute('data-key') === key,
  );
  found?.focus({ preventScroll: true });
};
