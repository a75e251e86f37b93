// Signs the `requestState` of protocol 2026-07-28, so that a client can send it back only unchanged and only with the same request. Each
// process has a key of its own, so a `requestState` from another process is invalid.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { quietly } from '../../errors.js';
import { canonicalJson } from '../../proof/canonical-json.js';

/** What a `requestState` holds. `suspended`: the id of a call that waits in this process. `inner`: the server's own `requestState`. */
export type InputState =
  | { readonly suspended: string }
  | { readonly inner: string | null }
  /** The approval that the client's person was asked for. */
  | { readonly approval: string };

const isState = (value: unknown): value is InputState =>
  typeof value === 'object' &&
  value !== null &&
  ('suspended' in value
    ? typeof value.suspended === 'string'
    : 'approval' in value
      ? typeof value.approval === 'string'
      : 'inner' in value);

export class InputSeal {
  readonly #key = randomBytes(32);

  /** Makes a signed `requestState` of a state. `about`: the request (server, tool, arguments) that the state is valid for. */
  close(state: InputState, about: unknown): string {
    const text = Buffer.from(JSON.stringify(state)).toString('base64url');
    return `${text}.${this.#mac(text, about).toString('base64url')}`;
  }

  /** The state in a `requestState`; undefined if it was not signed by this process, or was signed for another request. */
  open(sealed: string, about: unknown): InputState | undefined {
    const [text = '', mac = ''] = sealed.split('.');
    const given = Buffer.from(mac, 'base64url');
    const right = this.#mac(text, about);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const state: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return isState(state) ? state : undefined;
  }

  #mac(text: string, about: unknown): Buffer {
    return createHmac('sha256', this.#key)
      .update(`${text}.${canonicalOrPlain(about)}`)
      .digest();
  }
}

/** The RFC 8785 JSON text of a value. Some values have none (a lone surrogate, for example); for these plain JSON text is used. */
const canonicalOrPlain = (value: unknown): string => quietly(() => canonicalJson(value)) ?? JSON.stringify(value);
