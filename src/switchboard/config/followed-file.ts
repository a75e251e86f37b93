// The file that the servers follow. Which one counts is asked again whenever one of them has changed: a file that appears, or is
// removed, means the same to a running process as to the next one.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../errors.js';
import { FILE_LIMITS } from '../../files/limits.js';
import { FileRefused, readUntrusted } from '../../files/untrusted-file.js';
import { parseSwitchboard, type SwitchboardConfig } from './config.js';
import { type Consent, consentFor } from './consent.js';
import { findSwitchboard, type PlaceQuestion, projectOf, type SwitchboardPlace } from './place.js';
import { readSecrets, variablesFrom } from './secrets.js';
import type { Environment } from './variables.js';

const whyUnread = (thrown: unknown): string => {
  if (thrown instanceof FileRefused) return `cannot be read: ${thrown.message}`;
  const code = systemCode(thrown) ?? 'unknown error';
  return code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
};

/**
 * The file as it is now; one that cannot be read is a file with one error. A project's comes with a repository, so it is read only where
 * it lies in the project; the user's own may be a link.
 */
export const readSwitchboard = ({ file, origin }: SwitchboardPlace, env: Environment): SwitchboardConfig => {
  const around = { file, env, configDir: dirname(file) };
  const within = origin === 'project' ? projectOf(file) : undefined;
  try {
    const bytes = readUntrusted(file, { maxBytes: FILE_LIMITS.textFileBytes, within });
    return parseSwitchboard(bytes.toString('utf8'), around);
  } catch (thrown) {
    const error = { file, line: 1, column: 1, path: '', message: whyUnread(thrown) };
    return { file, servers: [], routes: [], warnings: [], errors: [error] };
  }
};

export interface FileOptions {
  readonly question: PlaceQuestion;
  readonly env: Environment;
  readonly stateDir: string;
  readonly log: (level: 'info' | 'warn', text: string) => void;
}

export class SwitchboardFile {
  readonly #options: FileOptions;
  #place: SwitchboardPlace | undefined;
  #told = '';

  constructor(options: FileOptions) {
    this.#options = options;
  }

  /** For people; empty when there is none. */
  get path(): string {
    return this.#place?.file ?? '';
  }

  get isThere(): boolean {
    return this.#place !== undefined && existsSync(this.#place.file);
  }

  /** There was one, or one was named, and it is not there. */
  get hasGone(): boolean {
    return this.#place !== undefined && !this.isThere;
  }

  /** From now on the one that counts is followed. */
  choose(): void {
    this.#place = findSwitchboard(this.#options.question);
    this.#tell(this.#place === undefined ? 'there is no file any more' : `${this.path} (${this.#place.origin})`);
  }

  /** Without a file there are no servers. A broken one is an error, and changes nothing. */
  read(): SwitchboardConfig {
    const { env, log, stateDir } = this.#options;
    if (this.#place !== undefined && this.isThere)
      return readSwitchboard(this.#place, variablesFrom(env, readSecrets(stateDir)));
    if (this.hasGone) log('warn', `${this.path}: there is no such file`);
    return { file: this.path, servers: [], routes: [], warnings: [], errors: [] };
  }

  consent(): Consent {
    // Without a file there is nothing to agree to.
    return consentFor(this.#place?.origin ?? 'project', this.#options.stateDir);
  }

  #tell(text: string): void {
    if (text !== this.#told) this.#options.log('info', text);
    this.#told = text;
  }
}
