// Projects on one shared store: the one in the data directory, as people have it who never ran init.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { colibri, type Ran } from '../support/command-line.js';
import { freshPlace, type Message, type Peer, type Place, serve } from '../support/serve.js';

export const ID = '5f'.repeat(16);

export interface Projects {
  readonly place: Place;
  readonly state: string;
  /** A folder that is a repository; the path is relative to the test's folder. */
  repository(path: string): string;
  write(path: string, text: string): string;
  /** A process that works for the folder, with its store open. */
  serve(dir: string): Promise<Peer>;
  run(dir: string, args: readonly string[]): Promise<Ran>;
}

/** `shared`: everybody uses the store of the data directory; else a project's own counts. */
export const projects = (): Projects => {
  const place = freshPlace();
  place.env.COLIBRI_DB_PATH = '';
  const write = (path: string, text: string): string => {
    const file = join(place.dir, path);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
  };
  return {
    place,
    state: join(place.home, 'state', 'colibri'),
    repository: (path) => {
      const dir = join(place.dir, path);
      fs.mkdirSync(join(dir, '.git'), { recursive: true });
      return dir;
    },
    write,
    serve: async (dir) => {
      const peer = serve(place, { env: { COLIBRI_PROJECT_DIR: dir } });
      await peer.initialize();
      await peer.phase2();
      return peer;
    },
    run: (dir, args) => colibri(place, args, { cwd: dir }),
  };
};

export const declares = (id: string): string => `${JSON.stringify({ version: 1, project_id: id })}\n`;

/** Every project uses this store, whether it has a folder of ours or not. */
export const sharedStore = (at: Projects): void => {
  at.place.env.COLIBRI_DB_PATH = at.place.db;
};

export const dataOf = (answer: Message): Message => answer.result.structuredContent.data;

export const titles = async (peer: Peer, args: Message = {}): Promise<string[]> =>
  dataOf(await peer.call('task_list', args)).tasks.map((task: Message) => task.title);

/** Creates a task and returns it whole. */
export const create = async (peer: Peer, title: string, more: Message = {}): Promise<Message> => {
  const { task_id } = dataOf(await peer.call('task_create', { title, ...more }));
  return dataOf(await peer.call('task_get', { task_id }));
};

/** One process that does something and ends. */
export const during = async <T>(at: Projects, dir: string, act: (peer: Peer) => Promise<T>): Promise<T> => {
  const peer = await at.serve(dir);
  try {
    return await act(peer);
  } finally {
    await peer.end();
  }
};
