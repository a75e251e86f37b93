// Checks the URL of a database and prepares it for display: a password is never shown.

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/**
 * Whether part of the password may have been parsed as something else: after an unescaped `/`, `?` or `#` in a password, the rest of it
 * becomes path, query or fragment and would be printed.
 */
const spillsPassword = (url: URL): boolean => /[@#]/.test(url.pathname + url.search + url.hash);

/** The port of a PostgreSQL server whose address names none. */
const DEFAULT_PORT = '5432';

export const isPostgresUrl = (text: string): boolean => {
  const url = parseUrl(text);
  if (url === undefined || !/^postgres(ql)?:\/\//i.test(text)) return false;
  return !spillsPassword(url);
};

/** Query parameters of a database URL whose values are not secret. Of all others only the name is shown. */
const OPEN_PARAMETERS = ['application_name', 'connect_timeout', 'host', 'port', 'sslmode', 'sslrootcert', 'user'];

/** The database URL without its password and secret parameters; undefined if it is unclear where the password is. */
export const urlWithoutSecrets = (text: string): string | undefined => {
  const url = parseUrl(text);
  if (url === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || spillsPassword(url)) return undefined;
  url.password = '';
  for (const name of new Set(url.searchParams.keys())) {
    if (!OPEN_PARAMETERS.includes(name)) url.searchParams.set(name, '***');
  }
  return url.href;
};

/** The place of a database on a server, as it is shown and remembered: without user, password and options. */
export const serverAddress = (text: string): { readonly host: string; readonly text: string } => {
  const url = new URL(text);
  const host = url.searchParams.get('host') ?? (url.hostname || 'localhost');
  const port = url.searchParams.get('port') ?? (url.port || DEFAULT_PORT);
  return { host, text: `postgres://${host}:${port}${url.pathname}` };
};

/** Whether what goes to the host stays on this machine: a socket, or an address of the loopback interface (RFC 1122, RFC 4291). */
export const isLocalHost = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
