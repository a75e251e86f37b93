// What the tests about consent share: projects with a switchboard file, and what a process says of its servers.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { colibri, type Ran } from '../support/command-line.js';
import type { Message, Peer, Place } from '../support/serve.js';

export interface Project {
  readonly dir: string;
  readonly file: string;
  readonly env: Record<string, string>;
  write(value: object): void;
  run(...args: string[]): Promise<Ran>;
}

const writeJson = (file: string, value: object): void => {
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(value));
};

export const project = (place: Place, name = 'project'): Project => {
  const dir = join(place.dir, name);
  const file = join(dir, '.colibri', 'switchboard.json');
  const env = { COLIBRI_PROJECT_DIR: dir };
  fs.mkdirSync(dirname(file), { recursive: true });
  return {
    dir,
    file,
    env,
    write: (value) => writeJson(file, value),
    run: (...args) => colibri(place, args, { env }),
  };
};

export const userFile = (place: Place): string => join(place.home, 'config', 'colibri', 'switchboard.json');
export const writeUser = (place: Place, value: object): void => writeJson(userFile(place), value);

export const stateFile = (place: Place, name: string): string => join(place.home, 'state', 'colibri', name);

export const toolNames = async (peer: Peer): Promise<string[]> =>
  (await peer.request('tools/list')).result.tools.map(({ name }: Message) => name);

/** A server that leaves a mark when it is started. */
export const marks = (mark: string) => ({ command: 'sh', args: ['-c', `touch ${mark}; sleep 9`] });
