// A connection for the screen: as it is written, without the literal secrets in it. What is one is decided as in `init`.
import { hideSecrets } from '../../clients/hide-secrets.js';
import { REDACTED } from '../../redact/redact.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import type { Connection } from '../../switchboard/config/connection.js';

type Written = Pick<ServerConfig, 'name' | 'written'>;

/** Could be run, or names what could be: nobody may be made to agree to it unseen because it is called a token. */
const isRunnable = (value: string): boolean => /^[./~]|[\s;|&$`'"\\(){}<>]/.test(value);

/** Variables are not filled in: no secret of theirs is shown. */
export const shownConnection = ({ name, written }: Written): Connection => {
  const { server, secrets } = hideSecrets(name, { ...written }, {});
  const text = Object.entries(secrets).reduce((shown, [secret, value]) => {
    const isShown = written.kind === 'stdio' && isRunnable(value);
    return shown.replaceAll(`\${secret:${secret}}`, () => (isShown ? JSON.stringify(value).slice(1, -1) : REDACTED));
  }, JSON.stringify(server));
  return JSON.parse(text) as Connection;
};

export const reachedBy = (server: Written): string => {
  const shown = shownConnection(server);
  return shown.kind === 'http' ? shown.url : [shown.command, ...shown.args].join(' ');
};
