// The frame around the views: which view the address names, the row of tabs, and the keys.
import type { App, View } from './app.js';
import { CALLS } from './calls.js';
import { CHECK } from './check.js';
import { h, hashOf, linkTo, replace } from './dom.js';
import { SAYS } from './marks.js';
import { NOW } from './now.js';
import { focusAgain, focusedKey, put } from './redraw.js';
import { SERVERS } from './servers.js';
import { TASKS_VIEW } from './tasks.js';
import { TRAIL } from './trail.js';
import { figureOf } from './words.js';

const VIEWS: readonly View[] = [NOW, CALLS, TASKS_VIEW, TRAIL, SERVERS, CHECK];

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

const current = (): { readonly view: View; readonly id: string } => {
  const [name = '', ...rest] = location.hash.slice(1).split('/');
  return { view: VIEWS.find((one) => one.name === name) ?? NOW, id: decoded(rest.join('/')) };
};

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['1 \u2013 6', 'the views'],
  ['/', 'search the calls'],
  ['j, k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'back to the list'],
  ['?', 'this help, and what the marks mean'],
];

const help = (): HTMLDialogElement => {
  const dialog = h('dialog', { 'aria-label': 'Keys and marks' });
  const close = h('button', { type: 'button', on: { click: () => dialog.close() } }, 'Close');
  dialog.append(
    h('h2', {}, 'Keys'),
    h(
      'dl',
      { class: 'facts' },
      KEYS.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)]),
    ),
    h('h2', {}, 'Marks'),
    h(
      'dl',
      { class: 'facts' },
      Object.entries(SAYS).map(([mark, what]) => [h('dt', {}, mark), h('dd', {}, what)]),
    ),
    close,
  );
  return dialog;
};

const move = (step: number): void => {
  const rows = [...document.querySelectorAll<HTMLElement>('main a.row')];
  const focused = document.activeElement;
  const at = focused instanceof HTMLElement ? rows.indexOf(focused) : -1;
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
  next?.focus();
};

/** Puts the cursor into the field that searches the calls. Draws at once: the event of the new address comes after the next keys. */
const search = (draw: () => void): void => {
  if (current().view !== CALLS || current().id !== '') {
    location.hash = hashOf('calls');
    draw();
  }
  document.getElementById('search')?.focus();
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

const onKey = (event: KeyboardEvent, dialog: HTMLDialogElement, draw: () => void): void => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  if (isTyping(event.target)) {
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
    return;
  }
  const view = VIEWS[Number(event.key) - 1];
  if (view !== undefined) location.hash = hashOf(view.name);
  else if (event.key === 'j' || (event.key === 'ArrowDown' && document.activeElement?.matches('a.row'))) move(1);
  else if (event.key === 'k' || (event.key === 'ArrowUp' && document.activeElement?.matches('a.row'))) move(-1);
  else if (event.key === '/') search(draw);
  else if (event.key === '?') dialog.showModal();
  else if (event.key === 'Escape' && current().id !== '') location.hash = hashOf(current().view.name);
  else return;
  event.preventDefault();
};

const tabs = (app: App): HTMLElement =>
  h(
    'nav',
    { class: 'tabs', 'aria-label': 'Views' },
    VIEWS.map((view) =>
      linkTo(
        hashOf(view.name),
        { 'aria-current': view === current().view ? 'page' : undefined, 'data-key': `tab ${view.name}` },
        view.title,
        view.count !== undefined && h('span', { class: 'count' }, figureOf(view.count(app))),
      ),
    ),
  );

export interface PageFrameView {
  /** Draws the view that the address names; keeps the focus and the place where the reader is, if it is the same view as before. */
  readonly draw: () => void;
}

/** Puts the frame into the page. Views are drawn when the address changes. */
export const frameOf = (app: App, root: Element): PageFrameView => {
  const dialog = help();
  const top = h('div', { class: 'top' });
  const main = h('main', { id: 'main' });
  const helpButton = h(
    'button',
    {
      type: 'button',
      class: 'help',
      'aria-label': 'Keys and marks',
      title: 'Keys and marks',
      on: { click: () => dialog.showModal() },
    },
    '?',
  );
  replace(root, h('a', { class: 'skip', id: 'skip' }, 'Skip to the content'), top, main, dialog);
  const skip = document.getElementById('skip');
  skip?.setAttribute('tabindex', '0');
  skip?.addEventListener('click', () => main.querySelector('h1')?.focus());
  let [shown, state]: [string, string | undefined] = ['', undefined];
  const draw = (): void => {
    const { view, id } = current();
    const place = hashOf(view.name, id);
    const now = view.state?.(app, id);
    const focused = focusedKey();
    replace(
      top,
      h('p', { class: 'brand' }, h('b', {}, 'Colibri'), ' ', h('span', {}, app.data.project ?? '')),
      tabs(app),
      helpButton,
    );
    const isSamePlace = place === shown;
    if (!isSamePlace || now === undefined || now !== state) put(main, view.draw(app, id), isSamePlace);
    if (isSamePlace) focusAgain(root, focused);
    else {
      if (shown !== '') main.querySelector('h1')?.focus();
      window.scrollTo(0, 0);
    }
    // A view may have put a shorter address in place of its own.
    [shown, state] = [hashOf(current().view.name, current().id), now];
  };
  window.addEventListener('hashchange', draw);
  document.addEventListener('keydown', (event) => onKey(event, dialog, draw));
  return { draw };
};
