// A name, a code or a text of somebody else as a record may hold it for good: secrets taken out before it is cut, since nothing
// that was hashed can be erased.
import { name } from '../proof/records.js';
import { redactName } from './redact.js';

export const asName = (text: string): string => name(redactName(text));
