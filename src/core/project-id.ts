// The ids that identify projects. A name is only for people: two folders may have the same one.
import { createHash } from 'node:crypto';

const DECLARED = /^[0-9a-f]{32}$/;

/** The id of the project whose folder contains the store, if no other id is declared. It stays valid when the folder is moved. */
export const OWN_STORE_ID = '0'.repeat(32);

/** An id that a project's file may hold: 16 bytes as hex. */
export const isDeclaredId = (value: unknown): value is string =>
  typeof value === 'string' && DECLARED.test(value) && value !== OWN_STORE_ID;

/** The id of a folder without a declared id. Its prefix differs from every declared id, so no repository can ship the id of somebody's folder. */
export const pathId = (path: string): string =>
  `path-${createHash('sha256').update(`colibri project\u0000${path}`).digest('hex').slice(0, 32)}`;

/** Any id that a row may carry. */
export const isProjectId = (text: string): boolean => DECLARED.test(text.replace(/^path-/, ''));

/** The owner of a task that has the name of a project but no id. */
export const namedOwner = (name: string): string => `=${name}`;

/** The id of an owner; null if only a name is known. */
export const ownerId = (owner: string | null): string | null =>
  owner === null || owner.startsWith('=') ? null : owner;
