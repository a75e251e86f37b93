// Compares two versions of the switchboard configuration and says for each server what has changed.
import { isDeepStrictEqual } from 'node:util';
import type { ServerConfig, SwitchboardConfig } from './config.js';

export type ConfigChange = 'added' | 'removed' | 'connection' | 'settings' | 'same';

export interface ServerChange {
  readonly name: string;
  readonly change: ConfigChange;
  /** The server's configuration now; undefined if it was removed. */
  readonly after: ServerConfig | undefined;
}

/** The servers of a configuration that are not disabled, by name. */
const active = (config: SwitchboardConfig): ReadonlyMap<string, ServerConfig> =>
  new Map(config.servers.filter(({ disabled }) => !disabled).map((server) => [server.name, server]));

const isSameConnection = (a: ServerConfig, b: ServerConfig): boolean =>
  isDeepStrictEqual([a.written, a.connection, a.missing], [b.written, b.connection, b.missing]);

export const changeOf = (before: ServerConfig | undefined, after: ServerConfig | undefined): ConfigChange => {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  if (!isSameConnection(before, after)) return 'connection';
  return isDeepStrictEqual(before, after) ? 'same' : 'settings';
};

/** The changes of servers, in the order of the new configuration; removed servers come last. */
export const diffConfigs = (before: SwitchboardConfig, after: SwitchboardConfig): readonly ServerChange[] => {
  const old = active(before);
  const next = active(after);
  return [...new Set([...next.keys(), ...old.keys()])].map((name) => {
    const after = next.get(name);
    return { name, after, change: changeOf(old.get(name), after) };
  });
};
