// Records a change of the switchboard file: which servers were added, removed or changed, and the digest of the new configuration.
import { createHash } from 'node:crypto';
import { append } from '../../ledger/ledger.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { NameList } from '../../proof/switchboard-records.js';
import { asName } from '../../redact/redact.js';
import type { ServerConfig, SwitchboardConfig } from '../config/config.js';
import type { ServerConnection } from '../config/connection.js';
import type { ServerChange } from '../config/diff.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { RecordsWriter } from './writer.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A list of names for a record: the names themselves if the list is short, else the number of names and a digest of the list. */
export const nameList = (names: readonly string[]): NameList => {
  const list = names.map(asName);
  const text = canonicalJson(list);
  return Buffer.byteLength(text) <= SWITCHBOARD_LIMITS.recordListBytes
    ? list
    : { count: list.length, digest: sha256(text) };
};

/** The part of a server's connection that is digested: only the names of its variables and headers, because the values may be secrets. */
const withoutSecrets = (written: ServerConnection): unknown =>
  written.kind === 'stdio'
    ? { ...written, env: Object.keys(written.env).sort() }
    : { ...written, headers: Object.keys(written.headers).sort() };

const openly = ({ connection: _filled, asked: _values, written, ...server }: ServerConfig): unknown => ({
  ...server,
  written: withoutSecrets(written),
});

const configDigest = ({ servers, routes }: SwitchboardConfig): string =>
  sha256(canonicalJson({ servers: servers.map(openly), routes }));

export const recordConfig = (
  records: RecordsWriter,
  config: SwitchboardConfig,
  changes: readonly ServerChange[],
): void => {
  const named = (...kinds: readonly ServerChange['change'][]) =>
    nameList(changes.filter(({ change }) => kinds.includes(change)).map(({ name }) => name));
  const lists = { added: named('added'), removed: named('removed'), changed: named('connection', 'settings') };
  const digest = configDigest(config);
  records.add((tx, { log, instance, at }) =>
    append(tx, log, [{ at, record: { kind: 'config', instance, what: 'switchboard', digest, ...lists } }]),
  );
};
