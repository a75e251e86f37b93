// Lists of names as records hold them, and the digest of a server's configuration.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { NameList } from '../../proof/switchboard-records.js';
import { asName } from '../../redact/as-name.js';
import type { ServerConfig, SwitchboardConfig } from '../config/config.js';
import type { ServerConnection } from '../config/connection.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A list of names as a record holds it: the names themselves if they are few; else their count and digest. */
export const nameList = (names: readonly string[]): NameList => {
  const list = names.map(asName);
  const text = canonicalJson(list);
  return Buffer.byteLength(text) <= SWITCHBOARD_LIMITS.recordListBytes
    ? list
    : { count: list.length, digest: sha256(text) };
};

/** The part of a server's configuration that is digested: of variables and headers only the names, because values may be secrets. */
const withoutSecrets = (written: ServerConnection): unknown =>
  written.kind === 'stdio'
    ? { ...written, env: Object.keys(written.env).sort() }
    : { ...written, headers: Object.keys(written.headers).sort() };

const openly = ({ connection: _filled, asked: _values, written, ...server }: ServerConfig): unknown => ({
  ...server,
  written: withoutSecrets(written),
});

export const configDigest = ({ servers, routes }: SwitchboardConfig): string =>
  sha256(canonicalJson({ servers: servers.map(openly), routes }));
