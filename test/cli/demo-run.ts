// `colibri demo` as a person runs it, what it leaves behind, and copies of the build with one thing broken.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshPlace, MAIN, MODULES, type Place } from '../support/serve.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the user has set must not matter. */
const SETTINGS = {
  COLIBRI_MODE: 'sideways',
  COLIBRI_DATABASE_URL: 'postgres://nowhere/x',
  COLIBRI_SWITCHBOARD: '/nowhere/switchboard.json',
  COLIBRI_KEY_FILE: '/nowhere/key',
};

export interface DemoRan {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DemoChoice {
  readonly args?: readonly string[];
  /** Another build. */
  readonly main?: string;
  /** SIGINT when this has been printed. */
  readonly interruptAt?: string;
  /** Stops reading after the first words. */
  readonly deaf?: boolean;
}

/** A place of its own with an empty folder to run in. */
export const demoPlace = (): Place & { readonly cwd: string; readonly tmp: string } => {
  const place = freshPlace();
  const cwd = join(place.dir, 'empty');
  fs.mkdirSync(cwd);
  return { ...place, cwd, tmp: place.env.TMPDIR ?? '' };
};

export const runDemo = (place: ReturnType<typeof demoPlace>, choice: DemoChoice = {}): Promise<DemoRan> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [choice.main ?? MAIN, 'demo', ...(choice.args ?? [])], {
      cwd: place.cwd,
      env: { ...place.env, ...SETTINGS, COLUMNS: '80' },
    });
    place.onEnd(() => void child.kill('SIGKILL'));
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (choice.interruptAt !== undefined && stdout.includes(choice.interruptAt)) child.kill('SIGINT');
      if (choice.deaf) child.stdout.destroy();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });

/** Processes that were started below a folder: their homes and folders are in it. */
export const processesIn = (folder: string): number[] =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${folder}/`);
      } catch {
        return false; // it ended, or is somebody else's
      }
    })
    .map(Number);

/** A copy of the build, as single modules, in which one text of one file reads otherwise. */
export const brokenBuild = (place: Place, file: string, from: string, to: string): string => {
  const copy = join(place.dir, 'broken');
  fs.cpSync(MODULES, join(copy, 'dist'), { recursive: true });
  fs.cpSync(join(ROOT, 'skills'), join(copy, 'skills'), { recursive: true });
  fs.copyFileSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
  fs.symlinkSync(fs.realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
  const path = join(copy, 'dist', file);
  const text = fs.readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from} to break`);
  fs.writeFileSync(path, text.replace(from, to));
  return join(copy, 'dist', 'cli', 'main.js');
};

export const PATIENCE_MS = 120_000;
