// Reads the servers in the text of a client's JSON or TOML file, and changes single servers without touching the rest of the file.
import { EditError, readMembers, removeMember, setMember } from '../files/json-edit.js';
import type { JsonObject } from '../proof/canonical-json.js';
import type { ServersAt } from './client.js';
import { readToml, setTable } from './toml-text.js';

export { EditError };

/** One server that is added, replaced or removed. */
export interface ServerEdit {
  readonly keys: readonly string[];
  readonly name: string;
  /** The server's entry before the edit; undefined if the server is added. */
  readonly was?: unknown;
  /** The server's entry after the edit; undefined if the server is removed. */
  readonly now?: unknown;
}

const below = (value: unknown, key: string): unknown => {
  const inner =
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : {};
  if (typeof inner === 'object' && inner !== null) return inner;
  throw new EditError(`${JSON.stringify(key)} is not a table`);
};

export const readServers = (text: string, { format, keys }: Omit<ServersAt, 'file'>): JsonObject =>
  format === 'json' ? readMembers(text, keys) : (keys.reduce<unknown>(below, readToml(text)) as JsonObject);

const editOne = (text: string | undefined, format: ServersAt['format'], { keys, name, now }: ServerEdit): string => {
  const path = [...keys, name];
  if (format === 'toml') return setTable(text, path, now as object | undefined);
  return now === undefined ? removeMember(text ?? '', path) : setMember(text, path, now);
};

export const editServers = (
  text: string | undefined,
  format: ServersAt['format'],
  edits: readonly ServerEdit[],
): string => edits.reduce<string | undefined>((before, edit) => editOne(before, format, edit), text) ?? '';
