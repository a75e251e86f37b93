// Prepares a name, code or text from other programs for a record: removes secrets, then cuts it to length. A secret that was hashed into a
// record could never be erased.
import { name } from '../proof/records.js';
import { REDACT_LIMITS } from './limits.js';
import { redactName } from './redact.js';

/** The prepared forms of names, up to a bound: every call has the names of its tool and server, mostly the same ones. A cache: it changes no result. */
const known = new Map<string, string>();

export const asName = (text: string): string => {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made = name(redactName(text));
  if (text.length > REDACT_LIMITS.rememberedNameChars) return made;
  if (known.size >= REDACT_LIMITS.rememberedNames) known.clear();
  known.set(text, made);
  return made;
};
