// `requestState` of the new era under our seal: a client hands it back with its next try, and only for the same request. The
// key lives as long as the process, so a state of another one is none.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../proof/canonical-json.js';

/** `talk`: a call that waits here. `inner`: the server's own state. */
export type InputState = { readonly talk: string } | { readonly inner: string | null };

const isState = (value: unknown): value is InputState =>
  typeof value === 'object' && value !== null && ('talk' in value ? typeof value.talk === 'string' : 'inner' in value);

export class InputSeal {
  readonly #key = randomBytes(32);

  /** `about`: what the request was, by which the state is bound to it. */
  close(state: InputState, about: unknown): string {
    const text = Buffer.from(JSON.stringify(state)).toString('base64url');
    return `${text}.${this.#mac(text, about).toString('base64url')}`;
  }

  /** Undefined: not ours, or of another request. */
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

/** Arguments may hold what has no canonical form; then the client's own writing counts. */
const canonicalOrPlain = (value: unknown): string => {
  try {
    return canonicalJson(value);
  } catch {
    return JSON.stringify(value);
  }
};
