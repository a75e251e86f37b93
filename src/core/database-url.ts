// The address of a database, and what of it may be shown: a password never.

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/** An unescaped `/`, `?` or `#` in a password moves its rest behind the host, where it would be printed. */
const spillsPassword = (url: URL): boolean => /[@#]/.test(url.pathname + url.search + url.hash);

export const isPostgresUrl = (text: string): boolean => {
  const url = parseUrl(text);
  if (url === undefined || !/^postgres(ql)?:\/\//i.test(text)) return false;
  return !spillsPassword(url);
};

/** Query parameters whose values are no secret; of any other only the name is kept. */
const OPEN_PARAMETERS = ['application_name', 'connect_timeout', 'host', 'port', 'sslmode', 'sslrootcert', 'user'];

/** The URL without password and secret parameters; undefined when no telling where the password is. */
export const urlWithoutSecrets = (text: string): string | undefined => {
  const url = parseUrl(text);
  if (url === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || spillsPassword(url)) return undefined;
  url.password = '';
  for (const name of new Set(url.searchParams.keys())) {
    if (!OPEN_PARAMETERS.includes(name)) url.searchParams.set(name, '***');
  }
  return url.href;
};
