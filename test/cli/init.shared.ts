// What the tests of init, init --import and uninstall share.
import { type ClientHome, clientHome, launch } from '../support/client-home.js';
import { SAMPLES } from '../support/client-samples.js';

export const textOf = (name: string): string => SAMPLES.find((sample) => sample.name === name)?.text ?? '';
export const STATE = 'home/.claude.json';

export const withClaude = (): ClientHome => {
  const at = clientHome(['claude']);
  at.write(STATE, textOf('Claude Code, user'));
  return at;
};

export const entryOf = (at: ClientHome) => ({ type: 'stdio', ...launch(at.home) });

/** In an imported server; no screen and no file of ours may show it. */
export const SECRET = 'hunter2-is-no-password';

export const CURSOR = SAMPLES.find(({ name }) => name === 'Cursor, user')?.text ?? '';
