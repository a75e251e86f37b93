// The four runtime modes and what each one may use. Only the policy: nothing is opened here.

import { CORE_LIMITS } from './core/limits.js';
import { ColibriError } from './errors.js';

export type Env = Readonly<Record<string, string | undefined>>;

export const RUNTIME_MODES = ['FULL', 'READONLY', 'TEST', 'MINIMAL'] as const;
export type RuntimeMode = (typeof RUNTIME_MODES)[number];

export interface ModePolicy {
  readonly store: 'none' | 'read' | 'write' | 'throwaway';
  /** If false, calls are not recorded and get no receipt. */
  readonly ledger: boolean;
  /** If true, log lines go to a file in the user's state directory; stderr gets them in every mode. */
  readonly logFile: boolean;
}

export const MODES: Readonly<Record<RuntimeMode, ModePolicy>> = {
  FULL: { store: 'write', ledger: true, logFile: true },
  READONLY: { store: 'read', ledger: false, logFile: false }, // nothing is written anywhere
  TEST: { store: 'throwaway', ledger: true, logFile: false }, // nothing outlives the throw-away folder
  MINIMAL: { store: 'none', ledger: false, logFile: true }, // only ping and health
};

const DEFAULT_MODE: RuntimeMode = 'FULL';
const ALLOWED = RUNTIME_MODES.join(' ');

/** One line about a setting's refused value. The value is quoted and cut, so that it cannot forge or flood the output. */
export const problemLine = (name: string, value: string, allowed: string, show = quote): string =>
  `${name}=${show(value)} is not allowed; allowed: ${allowed}`;

export const quote = (value: string): string => {
  const text = value.length > CORE_LIMITS.quotedChars ? `${value.slice(0, CORE_LIMITS.quotedChars)}…` : value;
  // JSON.stringify leaves DEL, the C1 controls and the two Unicode line separators as they are.
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
};

/** The mode that the environment sets, and all problems with its value. An empty value counts as unset. */
export const readMode = (env: Env): { readonly mode: RuntimeMode; readonly problems: readonly string[] } => {
  const problems: string[] = [];
  if (env.AMS_MODE) {
    problems.push(`AMS_MODE=${quote(env.AMS_MODE)} is refused; unset it and set COLIBRI_MODE to one of: ${ALLOWED}`);
  }
  const text = env.COLIBRI_MODE || DEFAULT_MODE;
  const mode = RUNTIME_MODES.find((known) => known === text);
  if (mode === undefined) problems.push(problemLine('COLIBRI_MODE', text, ALLOWED));
  return { mode: mode ?? DEFAULT_MODE, problems };
};

export const detectMode = (env: Env): RuntimeMode => {
  const { mode, problems } = readMode(env);
  if (problems.length > 0) throw new ColibriError('CONFIG_INVALID', problems.join('\n'));
  return mode;
};
