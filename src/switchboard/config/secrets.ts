// The user's secrets, which a switchboard file names as `${secret:NAME}`. The values are in one file in the state directory that only its
// owner can read, so that a switchboard file in a project never holds a secret's value.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors.js';
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

/** The user's secrets; none if the secrets file cannot be read: a server that needs a secret then reports which secret is missing. */
export const readSecrets = (stateDir: string): Secrets =>
  quietly(() => parse(readFileSync(secretsFile(stateDir), 'utf8')))?.secrets ?? {};

/** Changes the secrets file. If `change` returns undefined, no secret is left and the file is removed. */
export const changeSecrets = (held: HeldState, change: (now: Secrets) => Secrets | undefined): void =>
  changeState<Stored>(held, fileIn(held.dir), (now) => {
    const known = now?.secrets ?? {};
    const next = change(known);
    if (next === known) return now;
    return next && { version: 1, secrets: next };
  });

/** Throws if the secrets file exists and cannot be read. A command calls this before it changes any file. */
export const assertSecrets = (held: HeldState): void => changeState<Stored>(held, fileIn(held.dir), (now) => now);

/** The values for variables of a switchboard file: the environment and the user's secrets. Servers do not inherit the secrets. */
export const variablesFrom = (env: Environment, secrets: Secrets): Environment => ({
  ...env,
  ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`secret:${name}`, value])),
});
