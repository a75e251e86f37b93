// The user's secrets: what a switchboard file names as `${secret:NAME}`. One file in the state directory, readable by its owner alone,
// so that a file in a project never holds the value itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.js';
import type { Environment } from './variables.js';

export type Secrets = Readonly<Record<string, string>>;

export const secretsFile = (stateDir: string): string => join(stateDir, 'secrets.json');

/** A file that cannot be read holds none: whoever needs one says which is missing. */
export const readSecrets = (stateDir: string): Secrets => {
  try {
    const { secrets } = JSON.parse(readFileSync(secretsFile(stateDir), 'utf8')) as { secrets?: object };
    return Object.fromEntries(Object.entries(secrets ?? {}).filter(([, value]) => typeof value === 'string'));
  } catch {
    return {};
  }
};

export const replaceSecrets = (stateDir: string, secrets: Secrets): void =>
  replaceFile(secretsFile(stateDir), `${JSON.stringify({ version: 1, secrets }, undefined, 2)}\n`);

/** What the variables of a switchboard file are filled in from. Servers do not inherit it. */
export const variablesFrom = (env: Environment, secrets: Secrets): Environment => ({
  ...env,
  ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`secret:${name}`, value])),
});
