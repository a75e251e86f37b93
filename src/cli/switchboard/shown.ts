// Formats a server's connection for the screen, as written in the file, with variables not filled in. A person approves what is shown,
// so nothing is hidden just because it looks like a secret; only values from the user's secrets file are replaced by their names.
// Header values are redacted: they are sent only to the URL that is shown, and cannot start anything.
import { hideSecrets } from '../../clients/hide-secrets.js';
import { REDACTED } from '../../redact/redact.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import type { ServerConnection } from '../../switchboard/config/connection.js';
import type { Secrets } from '../../switchboard/config/secrets.js';
import { CLI_LIMITS } from '../limits.js';

type Written = Pick<ServerConfig, 'name' | 'written'>;

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Replaces the values of secrets by their names, the longest first, in one pass, so that inserted names are not replaced again. */
export const secretsByName = (text: string, secrets: Secrets): string => {
  const known = Object.entries(secrets)
    .filter(([, value]) => value.length >= CLI_LIMITS.toldSecretChars)
    .sort(([, a], [, b]) => b.length - a.length);
  if (known.length === 0) return text;
  const names = new Map(known.map(([name, value]) => [value, name]));
  const values = new RegExp(known.map(([, value]) => escapeRegExp(value)).join('|'), 'g');
  return text.replace(values, (value) => `[secret ${names.get(value) ?? ''}]`);
};

const shownHeaders = (name: string, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const { server, secrets } = hideSecrets(name, { headers }, {});
  const text = Object.keys(secrets).reduce(
    (shown, secret) => shown.replaceAll(`\${secret:${secret}}`, REDACTED),
    JSON.stringify(server.headers),
  );
  return JSON.parse(text) as Record<string, string>;
};

export const shownConnection = ({ name, written }: Written, secrets: Secrets): ServerConnection => {
  const told = (text: string): string => secretsByName(text, secrets);
  const all = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [key, told(value)]));
  return written.kind === 'http'
    ? { ...written, url: told(written.url), headers: all(shownHeaders(name, written.headers)) }
    : {
        ...written,
        command: told(written.command),
        args: written.args.map(told),
        env: all(written.env),
        cwd: told(written.cwd),
      };
};

export const reachedBy = (server: Written, secrets: Secrets): string => {
  const shown = shownConnection(server, secrets);
  return shown.kind === 'http' ? shown.url : [shown.command, ...shown.args].join(' ');
};
