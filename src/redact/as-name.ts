// Prepares a name, code or text from elsewhere for a record: removes secrets, then cuts it to length. What was hashed can never be erased.
import { name } from '../proof/records.js';
import { redactName } from './redact.js';

export const asName = (text: string): string => name(redactName(text));
