// Reads the version of this build from package.json, for people and for records.
import { readFileSync } from 'node:fs';
import { packageFile } from '../core/installed.js';
import { asError } from '../errors.js';

export const readVersion = (): string => {
  try {
    const text = readFileSync(packageFile('package.json'), 'utf8');
    return String((JSON.parse(text) as { version: unknown }).version);
  } catch (thrown) {
    throw new Error(`Failed to read package.json version: ${asError(thrown).message}`);
  }
};
