// The id of this node in a store on a server: random, and kept in the state directory. Two machines may have one host name and one user name, so
// these do not tell whose log is whose there.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ColibriError, quietly, systemCode } from '../errors.js';

const FORM = /^[0-9a-f]{32}$/;

const fileIn = (state: string): string => join(state, 'node');

/** The id of this node; undefined if it has none yet. */
export const nodeIdIn = (state: string): string | undefined => {
  const text = quietly(() => readFileSync(fileIn(state), 'utf8'))?.trim();
  return text !== undefined && FORM.test(text) ? text : undefined;
};

/** The id of this node, which is made if there is none. Of two processes that make one at once, one makes it. */
export const claimNodeId = (state: string): string => {
  const known = nodeIdIn(state);
  if (known !== undefined) return known;
  const draft = `${fileIn(state)}.${process.pid}.part`;
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${randomUUID().replaceAll('-', '')}\n`, { mode: 0o600 });
    linkSync(draft, fileIn(state));
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = nodeIdIn(state);
  if (made !== undefined) return made;
  throw new ColibriError('STORE_UNAVAILABLE', `${fileIn(state)} does not hold the id of a node.`, {
    remedy: 'Put the file back. Without it this machine would begin a new log; its old one stays in the store.',
  });
};
