// What a project is told apart by. Its name is for people: two folders may have the same one.
import { createHash } from 'node:crypto';

const DECLARED = /^[0-9a-f]{32}$/;

/** The project in whose folder the store lies, where nothing else says who that is: it moves with the folder. */
export const OWN_STORE_ID = '0'.repeat(32);

/** An id that a project's file may hold: 16 bytes as hex. */
export const isDeclaredId = (value: unknown): value is string =>
  typeof value === 'string' && DECLARED.test(value) && value !== OWN_STORE_ID;

/** Told from every declared id by its first letters: no repository can ship the id of somebody's folder. */
export const pathId = (path: string): string =>
  `path-${createHash('sha256').update(`colibri project\u0000${path}`).digest('hex').slice(0, 32)}`;

/** Any id that a row may carry. */
export const isProjectId = (text: string): boolean => DECLARED.test(text.replace(/^path-/, ''));

/** Whose a task is that has the name of a project and no id. */
export const namedOwner = (name: string): string => `=${name}`;

/** The id behind an owner; null where there is only a name. */
export const ownerId = (owner: string | null): string | null =>
  owner === null || owner.startsWith('=') ? null : owner;
