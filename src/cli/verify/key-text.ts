// The text of the public key that a person gives with `--key`: the key itself, or a file with it.
import { existsSync } from 'node:fs';
import { quote } from '../../modes.js';
import { readInput } from '../input.js';
import { wrong } from '../target.js';
import { isVkey } from './vkey.js';

export const keyText = (given: string): string => {
  const text = given.trim();
  if (isVkey(text)) return text;
  if (text !== '-' && !existsSync(text))
    throw wrong(
      `--key ${quote(text)} is neither a key (colibri.dev/log/…+…+…) nor a file.`,
      "The log's owner has the key: `colibri checkpoint --print`.",
    );
  return readInput(text, 'key').trim();
};
