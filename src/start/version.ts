// Reads the version of this build from package.json, for people and for records.
import { readFileSync } from 'node:fs';
import { asError } from '../errors.js';

export const readVersion = (): string => {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    return String((JSON.parse(text) as { version: unknown }).version);
  } catch (thrown) {
    throw new Error(`Failed to read package.json version: ${asError(thrown).message}`);
  }
};
