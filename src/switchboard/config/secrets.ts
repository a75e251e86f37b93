// The user's secrets, which a switchboard file names as `${secret:NAME}`. They are in one file in the state directory that only its owner
// can read, so that a file in a project never holds a value.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeState, type HeldState, type StateFile } from '../../files/held-file.js';
import type { Environment } from './variables.js';

export type Secrets = Readonly<Record<string, string>>;

export const secretsFile = (stateDir: string): string => join(stateDir, 'secrets.json');

interface Stored {
  readonly version: 1;
  readonly secrets: Secrets;
}

const parse = (text: string): Stored => {
  const { secrets } = JSON.parse(text) as { secrets: object };
  const texts = Object.entries(secrets).filter(([, value]) => typeof value === 'string');
  return { version: 1, secrets: Object.fromEntries(texts) };
};

const fileIn = (stateDir: string): StateFile<Stored> => ({ path: secretsFile(stateDir), parse });

/** A file that cannot be read counts as empty: a server that needs a secret then reports which one is missing. */
export const readSecrets = (stateDir: string): Secrets => {
  try {
    return parse(readFileSync(secretsFile(stateDir), 'utf8')).secrets;
  } catch {
    return {};
  }
};

/** If `change` returns undefined, no secret is left and the file is removed. */
export const changeSecrets = (held: HeldState, change: (now: Secrets) => Secrets | undefined): void =>
  changeState<Stored>(held, fileIn(held.dir), (now) => {
    const known = now?.secrets ?? {};
    const next = change(known);
    if (next === known) return now;
    return next && { version: 1, secrets: next };
  });

/** Throws if the file exists and cannot be read. Called before anything else is changed. */
export const assertSecrets = (held: HeldState): void => changeState<Stored>(held, fileIn(held.dir), (now) => now);

/** The values for variables of a switchboard file: environment and secrets. Servers do not inherit the secrets. */
export const variablesFrom = (env: Environment, secrets: Secrets): Environment => ({
  ...env,
  ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`secret:${name}`, value])),
});
