// Fills in `${VAR}`, `${VAR:-default}` and `${env:VAR}` in strings of a switchboard file, as MCP clients do, and `${secret:NAME}` from the
// user's secrets file (secrets.ts). The values are passed in; nothing here reads the process's environment.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text between the braces of `${…}`: a variable's name, optionally after `env:` and optionally with a default. */
const REFERENCE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
/** The text between the braces of `${secret:NAME}`. No variable's name has a colon, so a secret and a variable cannot be confused. */
const SECRET = /^(secret:[A-Za-z0-9_.-]+)$/;

/** Fills in variables in strings and collects the names of those that are not set. A reference to a name that is not set stays as written. */
export class Expansion {
  readonly missing: string[] = [];
  private readonly env: Environment;

  constructor(env: Environment) {
    this.env = env;
  }

  text(written: string): string {
    return written.replace(/\$\{([^}]*)\}/g, (whole, inside: string) => this.valueOf(inside) ?? whole);
  }

  texts(written: readonly string[]): readonly string[] {
    return written.map((one) => this.text(one));
  }

  map(written: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, this.text(value)]));
  }

  /** The value of a reference, by the text between its braces. As in a shell, a default also replaces an empty value. */
  private valueOf(inside: string): string | undefined {
    const [, name, otherwise] = SECRET.exec(inside) ?? REFERENCE.exec(inside) ?? [];
    const value = name !== undefined && Object.hasOwn(this.env, name) ? this.env[name] : undefined;
    if (otherwise !== undefined) return value || otherwise;
    if (value === undefined && !this.missing.includes(name ?? inside)) this.missing.push(name ?? inside);
    return value;
  }
}
