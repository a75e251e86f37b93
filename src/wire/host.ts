// Which conversation a call belongs to, as far as the client says. A table of what clients put into `_meta`.
import { type HostIdentity, name } from '../proof/records.js';

const FIELDS: Readonly<Record<keyof HostIdentity, readonly (readonly string[])[]>> = {
  conversation: [['vscode.conversationId'], ['threadId']],
  turn: [['vscode.requestId'], ['x-codex-turn-metadata', 'turn_id']],
  model: [['x-codex-turn-metadata', 'model']],
  agent: [['x-codex-turn-metadata', 'agent']],
};

const at = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    root,
  );

export const hostOf = (meta: unknown): HostIdentity | undefined => {
  if (meta === undefined) return undefined;
  const found = Object.entries(FIELDS).flatMap(([field, paths]) => {
    const value = paths.map((path) => at(meta, path)).find((candidate) => typeof candidate === 'string');
    return typeof value === 'string' && value !== '' ? [[field, name(value)] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
};
