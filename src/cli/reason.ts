// Checks the reason that a person gives with a command. A record keeps the reason for ever, so secrets are redacted first.
import { CORE_LIMITS } from '../core/limits.js';
import { redactText } from '../redact/redact.js';
import { wrong } from './target.js';

export const checkedReason = (text: string): string => {
  const reason = text.trim();
  if (reason === '') throw wrong('The reason is empty.', 'Say in a few words why: it is kept in the ledger.');
  if (reason.length > CORE_LIMITS.reasonChars)
    throw wrong(`The reason is longer than ${CORE_LIMITS.reasonChars} characters.`, 'Shorten it.');
  if (!reason.isWellFormed() || reason.includes('\u0000')) {
    throw wrong('The reason contains characters that a record cannot hold.', 'Write it in plain text.');
  }
  return redactText(reason);
};
