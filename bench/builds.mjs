// Which build a row measures as ours: this checkout's, or another one for the time of a call.
import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('..', import.meta.url));
/** @type {AsyncLocalStorage<string>} */
const chosen = new AsyncLocalStorage();

export const buildFolder = () => chosen.getStore() ?? HERE;

/** The program of a build. @param {string} [folder] */
export const mainIn = (folder = buildFolder()) => join(folder, 'dist', 'cli', 'main.js');

/** Whatever `use` starts is of the build in that folder. @template T @param {string} folder @param {() => T} use @returns {T} */
export const inBuild = (folder, use) => chosen.run(folder, use);
