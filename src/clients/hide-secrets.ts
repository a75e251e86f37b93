// Replaces secrets in a server's entry with `${secret:NAME}`, because others may see the switchboard file; the values go to the user's
// secrets file. redact/redact.ts decides by name and by shape what is a secret, as it does for recorded calls.
import type { JsonObject } from '../proof/canonical-json.js';
import { redact } from '../redact/redact.js';

export interface Hidden {
  readonly server: JsonObject;
  /** The values of the secrets, by the names that the server's entry now uses. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The places in the server's entry where a secret was replaced, for messages. */
  readonly places: readonly string[];
}

const REFERENCE = /(\$\{[^}]*\})/;
/** Matches the authorization scheme before a token; the scheme is not secret. */
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+/i;

const isSecretText = (text: string): boolean => redact(text) !== text;

/** Whether a value is a secret because of its name or its shape. */
const isSecretFor = (name: string, value: string): boolean =>
  value.trim() !== '' && Object.values(redact({ [name]: value }) as object)[0] !== value;

/** The name in a command-line flag: `api-key` for `--api-key`; undefined if the argument is not a flag. */
const flagName = (flag: string | undefined): string | undefined => /^--?([A-Za-z][\w-]*)$/.exec(flag ?? '')?.[1];

/** Matches an argument that holds a name and a value: `--token=x`, `TOKEN=x` (after `-e`), `Authorization: x` (after `--header`). */
const NAMED = /^((?:--?)?([A-Za-z_][\w-]*)(?:=|:\s*))(.*)$/s;

class Hiding {
  readonly secrets: Record<string, string> = {};
  readonly places: string[] = [];
  readonly #server: string;
  readonly #known: Readonly<Record<string, string>>;

  constructor(server: string, known: Readonly<Record<string, string>>) {
    this.#server = server;
    this.#known = known;
  }

  /** A name for a secret: no other secret has the name, or the secret of that name has the same value. */
  #nameFor(key: string, value: string): string {
    const base = `${this.#server}.${key}`.replace(/[^A-Za-z0-9_.-]/g, '_');
    for (let tries = 1; ; tries += 1) {
      const name = tries === 1 ? base : `${base}-${tries}`;
      const there = this.secrets[name] ?? this.#known[name];
      if (there === undefined || there === value) return name;
    }
  }

  #put(key: string, value: string): string {
    const name = this.#nameFor(key, value);
    this.secrets[name] = value;
    this.places.push(key);
    return `\${secret:${name}}`;
  }

  /** Replaces a value if it is a secret by `name` or by its shape; text between variables is judged by its shape alone. */
  value(key: string, name: string, value: string): string {
    if (REFERENCE.test(value)) {
      const pieces = value.split(REFERENCE);
      return pieces
        .map((piece) => (REFERENCE.test(piece) || !isSecretText(piece) ? piece : this.#put(key, piece)))
        .join('');
    }
    if (!isSecretFor(name, value)) return value;
    const scheme = SCHEME.exec(value)?.[0] ?? '';
    return scheme + this.#put(key, value.slice(scheme.length));
  }

  values(map: unknown): JsonObject {
    return Object.fromEntries(
      Object.entries((map ?? {}) as Record<string, string>).map(([name, value]) => [
        name,
        this.value(name, name, value),
      ]),
    );
  }

  argument(arg: string, index: number, before: string | undefined): string {
    const [, head = '', name = '', value = ''] = NAMED.exec(arg) ?? [];
    const isAddress = value.startsWith('//');
    if (!isAddress && isSecretFor(name, value)) return head + this.value(name, name, value);
    const flag = arg.startsWith('-') ? undefined : flagName(before);
    return flag === undefined ? this.value(`args.${index}`, '', arg) : this.value(flag, flag, arg);
  }

  /** Replaces the password and the secret parameters of a URL; the rest of the URL stays. */
  url(text: string): string {
    const open = text
      .replace(/^([a-z][a-z0-9+.-]*:\/\/[^\s/@:?#]*:)([^\s/@?#]+)@/i, (_, head: string, password: string) => {
        return REFERENCE.test(password) ? `${head}${password}@` : `${head}${this.#put('url.password', password)}@`;
      })
      .replace(/([?&])([^=&#]+)=([^&#]*)/g, (_, sign: string, name: string, value: string) => {
        return `${sign}${name}=${this.value(name, name, value)}`;
      });
    const pieces = open.split(REFERENCE);
    return pieces.some((piece) => !REFERENCE.test(piece) && isSecretText(piece)) ? this.#put('url', text) : open;
  }
}

/** Replaces the secrets in a server's entry. `known`: secrets that already exist, whose names are taken. */
export const hideSecrets = (name: string, server: JsonObject, known: Readonly<Record<string, string>>): Hidden => {
  const hiding = new Hiding(name, known);
  const { args, env, headers, url } = server;
  const list = (args ?? []) as readonly string[];
  const hidden: JsonObject = {
    ...server,
    ...(args !== undefined && { args: list.map((arg, index) => hiding.argument(arg, index, list[index - 1])) }),
    ...(env !== undefined && { env: hiding.values(env) }),
    ...(headers !== undefined && { headers: hiding.values(headers) }),
    ...(typeof url === 'string' && { url: hiding.url(url) }),
  };
  return { server: hidden, secrets: hiding.secrets, places: hiding.places };
};
