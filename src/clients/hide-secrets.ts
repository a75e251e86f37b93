// Takes literal secrets out of a server before it is written into a file that others may see: each becomes `${secret:NAME}`, its value
// goes to the user's secrets file. What is a secret is decided as for the ledger (redact/redact.ts): by name and by shape.
import type { JsonObject } from '../proof/json-object.js';
import { redact } from '../redact/redact.js';

export interface Hidden {
  readonly server: JsonObject;
  /** By the name under which the server now asks for them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** For a person: what is no longer written out. */
  readonly places: readonly string[];
}

const REFERENCE = /(\$\{[^}]*\})/;
/** What stands before a token and is none itself. */
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+/i;

const isSecretText = (text: string): boolean => redact(text) !== text;

/** A name alone says so where a value stands behind it. */
const isSecretFor = (name: string, value: string): boolean =>
  value.trim() !== '' && Object.values(redact({ [name]: value }) as object)[0] !== value;

/** A flag as a name: `--api-key` → `api-key`. */
const flagName = (flag: string | undefined): string | undefined => /^--?([A-Za-z][\w-]*)$/.exec(flag ?? '')?.[1];

/** `--token=x`, `-e TOKEN=x`, `--header "Authorization: x"`: a name inside the argument. */
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

  /** A name that is free, or has this very value already. */
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

  /** `name` tells whether the value is one; pieces between variables are judged by their shape. */
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

  /** Password and secret parameters; the rest of an address says where a server is, and stays readable. */
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

/** `known`: secrets that are there already, whose names are taken. */
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
