// Chooses the environment that a server starts with: few of Colibri's own variables, so that no secret reaches the server by accident, but
// enough that the server behaves as it would under the user's own shell.
import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/client/stdio';
import { DEPTH_NAME } from '../../config.js';
import type { InheritEnv } from '../config/connection.js';
import type { Environment } from '../config/variables.js';

/** Variables that servers inherit besides those of the SDK's list: temporary folder, language, time zone, certificates, desktop. */
const HARMLESS = /^(TMPDIR|TMP|LANG|TZ|NODE_EXTRA_CA_CERTS|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY)$/;
/** Families of further variables that servers inherit. Proxy variables are common in lower case and in upper case. */
const HARMLESS_FAMILY = /^(LC_|XDG_|SSL_CERT_)|^(https?_proxy|no_proxy)$|^(HTTPS?_PROXY|NO_PROXY)$/;

const OURS = /^COLIBRI_/i;

const isHarmless = (name: string): boolean =>
  DEFAULT_INHERITED_ENV_VARS.includes(name) || HARMLESS.test(name) || HARMLESS_FAMILY.test(name);

const chooser = (inherit: InheritEnv): ((name: string) => boolean) => {
  if (inherit === 'all') return () => true;
  if (inherit === 'minimal') return isHarmless;
  return (name) => isHarmless(name) || inherit.includes(name);
};

/**
 * How deep this process is in a chain of Colibri processes that started each other. An environment variable holds the depth; an invalid
 * value counts as 1.
 */
export const depthOf = (ours: Environment): number => {
  const text = ours[DEPTH_NAME];
  if (text === undefined || text === '') return 0;
  const depth = Number(text);
  return Number.isSafeInteger(depth) && depth >= 0 ? depth : 1;
};

/**
 * The environment of a server. Variables of the server's entry (`own`) replace inherited ones. The depth is always set: it stops a Colibri
 * that has itself as a server from starting itself for ever.
 */
export const serverEnvironment = (
  inherit: InheritEnv,
  own: Readonly<Record<string, string>>,
  ours: Environment,
): Record<string, string> => {
  const wanted = chooser(inherit);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined || OURS.test(name) || !wanted(name)) continue;
    // A value that begins with `()` is a function that bash exported. It is never a setting, and old versions of bash ran code in it.
    if (!value.startsWith('()')) env[name] = value;
  }
  return { ...env, ...own, [DEPTH_NAME]: String(depthOf(ours) + 1) };
};
