// A home and a project for `colibri init`, with nothing of the machine that runs the test: the PATH holds node, a shell and the
// fakes that a test asks for.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { colibri, type Ran, type RunChoice } from './command-line.js';
import { freshPlace, MAIN, type Place } from './serve.js';

export interface ClientHome {
  readonly place: Place;
  readonly home: string;
  readonly project: string;
  readonly state: string;
  run(args: readonly string[], choice?: RunChoice): Promise<Ran>;
  /** Writes a file with its folders; the path is relative to the test's folder. */
  write(path: string, text: string): string;
  read(path: string): string;
  /** Every file below the test's folder and what is in it, but for what is ours in the state directory. */
  snapshot(): Readonly<Record<string, string>>;
  /** What the fakes were called with. */
  calls(): readonly {
    readonly program: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly pid: number;
  }[];
}

const fake = (name: string): string => fileURLToPath(new URL(`../clients/fake-${name}.mjs`, import.meta.url));

const links = (bin: string, fakes: readonly string[]): void => {
  fs.mkdirSync(bin);
  fs.symlinkSync(process.execPath, join(bin, 'node'));
  for (const name of ['sh', 'env']) fs.symlinkSync(fs.realpathSync(`/usr/bin/${name}`), join(bin, name));
  for (const name of fakes) fs.symlinkSync(fake(name), join(bin, name));
};

export const clientHome = (fakes: readonly ('claude' | 'codex')[] = []): ClientHome => {
  const place = freshPlace();
  const { dir, home } = place;
  const [project, bin, log] = [join(dir, 'project'), join(dir, 'bin'), join(dir, 'fake.log')];
  fs.mkdirSync(join(project, '.git'), { recursive: true });
  links(bin, fakes);
  Object.assign(place.env, { PATH: bin, FAKE_LOG: log, COLIBRI_DB_PATH: '' });
  return {
    place,
    home,
    project,
    state: join(home, 'state', 'colibri'),
    run: (args, choice) => colibri(place, args, { cwd: project, ...choice }),
    write: (path, text) => {
      const file = join(dir, path);
      fs.mkdirSync(dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
      return file;
    },
    read: (path) => fs.readFileSync(join(dir, path), 'utf8'),
    snapshot: () => snapshotOf(dir),
    calls: () => callsIn(log),
  };
};

/** Whole lines only: a fake may be writing one. */
const callsIn = (log: string) => {
  const text = fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '';
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
};

const NOT_COMPARED = /^(bin|tmp|fake\.log|home\/state)(\/|$)/;

const snapshotOf = (dir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs
      .readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
      .filter((path) => !NOT_COMPARED.test(path))
      .sort()
      .map((path) => [path, fs.readFileSync(join(dir, path), 'latin1')]),
  );

/** The entry that a client gets. */
export const launch = (home: string) => ({
  command: process.execPath,
  args: [MAIN, 'serve'],
  env: {
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
  },
});
