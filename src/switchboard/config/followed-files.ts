// Reads the switchboard files in use: the user's and the project's, merged by server name, or the one that COLIBRI_SWITCHBOARD names. Which
// files are in use is decided again on every change, so that a file that appears or disappears has the same effect as after a restart.
// If a file has errors, its last version without errors stays in use.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../errors.js';
import { FILE_LIMITS } from '../../files/limits.js';
import { FileRefused, readUntrusted } from '../../files/untrusted-file.js';
import { readApprovals } from './approvals.js';
import { parseSwitchboard, type Surroundings, type SwitchboardConfig } from './config.js';
import { type Consent, consentHold, consentNote, type JudgedServer, judgeConsent, ownServer } from './consent.js';
import { type Merged, type MergedBoard, mergeBoards } from './merge.js';
import { folderOf, followedPlaces, type PlaceQuestion, type SwitchboardPlace } from './place.js';
import type { ConfigProblem } from './problem.js';
import { readSecrets, variablesFrom } from './secrets.js';
import type { Environment } from './variables.js';

const around = ({ file, origin }: SwitchboardPlace, env: Environment): Surroundings => ({
  file,
  origin,
  env,
  configDir: dirname(file),
});

const whyUnread = (thrown: unknown): string => {
  if (thrown instanceof FileRefused) return `cannot be read: ${thrown.message}`;
  const code = systemCode(thrown) ?? 'unknown error';
  return code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
};

/**
 * Reads one switchboard file; a file that cannot be read becomes a configuration with one error. A project's file comes with a repository,
 * so its real path must be in the project's folder; the user's own file may be a symbolic link to anywhere.
 */
const readSwitchboard = (
  place: SwitchboardPlace,
  env: Environment,
  elsewhere: readonly string[] = [],
): SwitchboardConfig => {
  const { file } = place;
  const within = place.origin === 'project' ? folderOf(file) : undefined;
  try {
    const bytes = readUntrusted(file, { maxBytes: FILE_LIMITS.textFileBytes, within });
    return parseSwitchboard(bytes.toString('utf8'), { ...around(place, env), elsewhere });
  } catch (thrown) {
    const error = { file, line: 1, column: 1, path: '', message: whyUnread(thrown) };
    return { file, servers: [], routes: [], warnings: [], errors: [error] };
  }
};

/** What the code needs to read switchboard files: the environment variables, and the state directory with the user's approvals and secrets. */
export interface FileReading {
  readonly env: Environment;
  readonly stateDir: string;
}

/** A switchboard file that was read, and for each server whether it is approved. `env`: the environment variables and the user's secrets. */
const boardOf = (place: SwitchboardPlace, config: SwitchboardConfig, { env, stateDir }: FileReading): MergedBoard => {
  const { origin, file } = place;
  if (origin !== 'project')
    return { origin, config, judged: config.servers.map((server) => ownServer(server, file, origin)) };
  const given = { approvals: readApprovals(stateDir), around: around(place, env) };
  return { origin, config, judged: config.servers.map((server) => judgeConsent(server, config, given)) };
};

export interface Boards {
  /** One configuration for each switchboard file, in the order of `places`. */
  readonly configs: readonly SwitchboardConfig[];
  readonly merged: Merged;
  readonly errors: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Reads all switchboard files. If two files in `places` define the same server or route, the earlier file wins. `lastGood` returns the
 * version of a file to use: for a file with errors its last good one.
 */
export const readBoards = (
  places: readonly SwitchboardPlace[],
  reading: FileReading,
  lastGood: (config: SwitchboardConfig) => SwitchboardConfig | undefined = (config) => config,
): Boards => {
  const { stateDir } = reading;
  const env = variablesFrom(reading.env, readSecrets(stateDir));
  const weakestFirst = places.toReversed();
  const configs: SwitchboardConfig[] = [];
  const boards: MergedBoard[] = [];
  for (const place of weakestFirst) {
    const known = boards.flatMap(({ config }) => config.servers.map(({ name }) => name));
    const config = readSwitchboard(place, env, known);
    configs.unshift(config);
    const used = lastGood(config);
    if (used !== undefined) boards.push(boardOf(place, used, { env, stateDir }));
  }
  const merged = mergeBoards(boards);
  const errors = configs.flatMap((config) => config.errors);
  return { configs, merged, errors, warnings: configs.flatMap((config) => config.warnings) };
};

export interface FilesOptions extends FileReading {
  readonly question: PlaceQuestion;
  readonly log: (level: 'info' | 'warn', text: string) => void;
}

const PASSED_OVER =
  "the project's file has a server of this name that is not approved; yours is used; to see it: colibri switchboard approve";

const notesIn = ({ servers, passedOver }: Merged): ReadonlyMap<string, string> => {
  const noted = servers.flatMap((one): [string, string][] => {
    const note = consentNote(one);
    return note === null ? [] : [[one.asked.name, note]];
  });
  return new Map([...noted, ...passedOver.map(({ asked }): [string, string] => [asked.name, PASSED_OVER])]);
};

export class SwitchboardFiles {
  readonly #options: FilesOptions;
  #places: readonly SwitchboardPlace[] = [];
  /** For the path of each switchboard file, the last version of the file that had no errors. */
  readonly #good = new Map<string, SwitchboardConfig>();
  #judged: ReadonlyMap<string, JudgedServer> = new Map();
  #notes: ReadonlyMap<string, string> = new Map();
  #told = '';

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  /** The paths of the switchboard files in use, for messages; empty if there are none. */
  get path(): string {
    return this.#places.map(({ file }) => file).join(', ');
  }

  get isThere(): boolean {
    return this.#places.some(({ file }) => existsSync(file));
  }

  /** Whether a switchboard file that is in use, or that COLIBRI_SWITCHBOARD names, is missing. */
  get hasGone(): boolean {
    return this.#places.some(({ file }) => !existsSync(file));
  }

  /** Decides which switchboard files are in use from now on. */
  choose(): void {
    this.#places = followedPlaces(this.#options.question);
    const files = this.#places.map(({ file, origin }) => `${file} (${origin})`);
    this.#tell(files.length === 0 ? 'there is no file any more' : files.join(', '));
  }

  /** Reads the switchboard files in use; if there is no file, there are no servers. A file with errors is replaced by its last good version. */
  read(): SwitchboardConfig {
    const places = this.#places.filter(({ file }) => existsSync(file));
    for (const { file } of this.#places)
      if (!existsSync(file)) this.#options.log('warn', `${file}: there is no such file`);
    for (const file of this.#good.keys()) if (!places.some((place) => place.file === file)) this.#good.delete(file);
    const { merged, errors, warnings } = readBoards(places, this.#options, (config) => {
      if (config.errors.length === 0) this.#good.set(config.file, config);
      return this.#good.get(config.file);
    });
    this.#judged = new Map(merged.servers.map((one) => [one.asked.name, one]));
    this.#note(notesIn(merged));
    const servers = merged.servers.map(({ server }) => server);
    const waiting = merged.waiting.map(({ file, route, why }): ConfigProblem => {
      return { file, line: 1, column: 1, path: `routes.${route}`, message: why };
    });
    const all = { warnings: [...warnings, ...waiting], errors: [], broken: errors };
    return { file: this.path, servers, routes: merged.routes, ...all };
  }

  /** Says for each server of the files, as they were last read, whether Colibri may connect to it. */
  consent(): Consent {
    return {
      holdOf: ({ name }) => {
        const judged = this.#judged.get(name);
        return judged === undefined ? null : consentHold(judged);
      },
    };
  }

  /** Notes for the user about a server: which file it is from, if there is more than one, and its approval. */
  notesOf(server: string): readonly string[] {
    const [note, file] = [this.#notes.get(server), this.#judged.get(server)?.file];
    const from = file === undefined || this.#places.length < 2 ? [] : [`from ${file}`];
    return note === undefined ? from : [...from, note];
  }

  #note(notes: ReadonlyMap<string, string>): void {
    for (const [server, note] of notes)
      if (this.#notes.get(server) !== note) this.#options.log('warn', `${server}: ${note}`);
    this.#notes = notes;
  }

  #tell(text: string): void {
    if (text !== this.#told) this.#options.log('info', text);
    this.#told = text;
  }
}
