// The user's secrets: what a switchboard file names as `${secret:NAME}`. One file in the state directory, readable by its owner alone,
// so that a file in a project never holds the value itself.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ColibriError } from '../../errors.js';
import { replaceFile } from '../../files/replace-file.js';
import type { Environment } from './variables.js';

export type Secrets = Readonly<Record<string, string>>;

export const secretsFile = (stateDir: string): string => join(stateDir, 'secrets.json');

const parsed = (text: string): Secrets => {
  const { secrets } = JSON.parse(text) as { secrets: object };
  return Object.fromEntries(Object.entries(secrets).filter(([, value]) => typeof value === 'string'));
};

/** A file that cannot be read holds none: whoever needs one says which is missing. */
export const readSecrets = (stateDir: string): Secrets => {
  try {
    return parsed(readFileSync(secretsFile(stateDir), 'utf8'));
  } catch {
    return {};
  }
};

/** For whoever will write it: a file that is there and cannot be read must not be taken for an empty one. */
export const secretsToChange = (stateDir: string): Secrets => {
  const file = secretsFile(stateDir);
  if (!existsSync(file)) return {};
  try {
    return parsed(readFileSync(file, 'utf8'));
  } catch {
    throw new ColibriError('CONFIG_INVALID', `${file} cannot be read or is damaged`, {
      remedy: 'Mend it or move it away.',
    });
  }
};

export const replaceSecrets = (stateDir: string, secrets: Secrets): void =>
  replaceFile(secretsFile(stateDir), `${JSON.stringify({ version: 1, secrets }, undefined, 2)}\n`);

/** What the variables of a switchboard file are filled in from. Servers do not inherit it. */
export const variablesFrom = (env: Environment, secrets: Secrets): Environment => ({
  ...env,
  ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`secret:${name}`, value])),
});
