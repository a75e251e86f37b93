// What a run has on this machine while it lasts: folders and processes. Whatever ends the run, they go with it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @type {Set<string>} */
const folders = new Set();
/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();

/** @param {string} name */
export const makeFolder = (name) => {
  const folder = mkdtempSync(join(tmpdir(), `colibri-${name}-`));
  folders.add(folder);
  return folder;
};

/** Tried again where a process that is being killed still writes there. @param {string} folder */
export const removeFolder = (folder) => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.delete(folder);
};

/** @type {Set<() => void>} */
const endings = new Set();

/** Has `end` run when this process ends, whatever ends it; nothing can be waited for then. @param {() => void} end */
export const atTheEnd = (end) => {
  endings.add(end);
};

/** @template {import('node:child_process').ChildProcess} T @param {T} child */
export const ownChild = (child) => {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
};

/** For the end of this process, when nothing can be waited for any more. What they have started ends with them. */
export const leaveNothing = () => {
  for (const child of children) child.kill('SIGKILL');
  for (const end of endings) end();
  for (const folder of [...folders]) {
    try {
      removeFolder(folder);
    } catch (thrown) {
      console.error(`bench: ${folder} is left: ${/** @type {Error} */ (thrown).message}`);
    }
  }
};
