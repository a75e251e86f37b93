// The ids that identify projects. A project's name is only for people: two folders may have the same name.
import { createHash } from 'node:crypto';

const DECLARED = /^[0-9a-f]{32}$/;

/** The id of the project whose folder contains the store, if the project declares no other id. It stays valid when the folder is moved. */
export const OWN_STORE_ID = '0'.repeat(32);

/** Whether a value is an id that a project's file may declare: 16 bytes as hex, but not OWN_STORE_ID. */
export const isDeclaredId = (value: unknown): value is string =>
  typeof value === 'string' && DECLARED.test(value) && value !== OWN_STORE_ID;

/** The id of a project folder without a declared id, made from its path. Its prefix differs from every declared id, so no repository can ship it. */
export const pathId = (path: string): string =>
  `path-${createHash('sha256').update(`colibri project\u0000${path}`).digest('hex').slice(0, 32)}`;

/** Whether a text is a project id, declared or made from a path. */
export const isProjectId = (text: string): boolean => DECLARED.test(text.replace(/^path-/, ''));

/** The owner that is stored for a task of which only the project's name is known, not the project's id. */
export const namedOwner = (name: string): string => `=${name}`;

/** The project id in a task's owner; null if the owner is only a project's name. */
export const ownerId = (owner: string | null): string | null =>
  owner === null || owner.startsWith('=') ? null : owner;
