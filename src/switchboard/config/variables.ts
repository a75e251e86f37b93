// Fills in `${VAR}`, `${VAR:-default}` and `${env:VAR}` in strings of a switchboard file, as MCP clients do, and `${secret:NAME}` from the
// user's secrets file (secrets.ts). The values are passed in; nothing here reads the process's environment.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text between the braces of `${…}`: a variable's name, optionally after `env:` and optionally with a default. */
const REFERENCE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
/** The text between the braces of `${secret:NAME}`. No variable's name has a colon, so a secret and a variable cannot be confused. */
const SECRET = /^(secret:[A-Za-z0-9_.-]+)$/;

/** Fills in variables in strings, and collects the names of variables that are not set: a reference to one of these stays as it is written. */
export const expansion = (env: Environment) => {
  const missing: string[] = [];
  /** The value for the text between the braces of `${…}`. As in a shell, a default also replaces an empty value. */
  const lookUp = (inside: string): string | undefined => {
    const [, name, otherwise] = SECRET.exec(inside) ?? REFERENCE.exec(inside) ?? [];
    const value = name !== undefined && Object.hasOwn(env, name) ? env[name] : undefined;
    if (otherwise !== undefined) return value || otherwise;
    if (value === undefined && !missing.includes(name ?? inside)) missing.push(name ?? inside);
    return value;
  };
  return {
    missing,
    text: (written: string): string =>
      written.replace(/\$\{([^}]*)\}/g, (whole, inside: string) => lookUp(inside) ?? whole),
  };
};
