// A reason that a person gives and a record keeps for good.
import { wrong } from './target.js';

const MOST_CHARS = 500;

export const checkedReason = (text: string): string => {
  const reason = text.trim();
  if (reason === '') throw wrong('The reason is empty.', 'Say in a few words why: it is kept in the ledger.');
  if (reason.length > MOST_CHARS) throw wrong(`The reason is longer than ${MOST_CHARS} characters.`, 'Shorten it.');
  if (!reason.isWellFormed() || reason.includes('\u0000')) {
    throw wrong('The reason holds characters that no record can keep.', 'Write it in plain text.');
  }
  return reason;
};
