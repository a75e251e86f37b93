// The document that the browser made of the file: whether it is the one that Colibri writes, element by element, and the place for what is shown.
// Nothing that stood in the file stays: an element of it may have a shadow root, which nobody can see from here.
import type { PageData } from '../../proof/page-data.js';
import { sourceOf, writeFrame } from '../html.js';
import { pageHashes } from './checking.js';
import { h } from './dom.js';

/** Waits until the parser has read the whole file: something may stand behind the script. */
export const parsed = (): Promise<void> =>
  document.readyState === 'loading'
    ? new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }))
    : Promise.resolve();

/** Whether two nodes are the same with everything in them but what scripts hold, whose hashes are checked. */
const isSame = (one: Node, other: Node | undefined): boolean => {
  if (other === undefined || !one.cloneNode(false).isEqualNode(other.cloneNode(false))) return false;
  if (one instanceof HTMLScriptElement) return true;
  const [own, others] = [[...one.childNodes], [...other.childNodes]];
  return own.length === others.length && own.every((child, i) => isSame(child, others[i]));
};

/** What is wrong with the document around its script, style and data; undefined if nothing is. */
export const documentFault = (data: PageData, script: string, style: string): string | undefined => {
  if (window.top !== window.self) return 'This page is shown inside of another one, which could hide or add anything.';
  if (document.characterSet !== 'UTF-8' || document.contentType !== 'text/html')
    return 'The browser does not read this file as HTML in UTF-8.';
  const sources = { script: sourceOf(script, pageHashes), style: sourceOf(style, pageHashes) };
  const expected = new DOMParser().parseFromString(writeFrame(data, style, sources), 'text/html');
  return isSame(document, expected)
    ? undefined
    : 'This file holds something that Colibri did not write, or an extension of this browser changed the page.';
};

/** Puts a new body in place of the one that the file has. Returns where to show things. */
export const newBody = (): Element => {
  const app = h('div', { id: 'app' });
  const banner = h('div', { id: 'banner', role: 'status', 'data-verdict': 'unverified' });
  document.body.replaceWith(h('body', {}, banner, app));
  return app;
};

/** Takes away everything that the file made the browser show, its styles too, but for an empty banner. */
export const clearDocument = (): void => {
  const root = document.documentElement;
  for (const name of root.getAttributeNames()) root.removeAttribute(name);
  root.replaceChildren(h('head'), h('body'));
  newBody();
};
