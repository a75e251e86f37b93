import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  type MakeDirectoryOptions,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ColibriError } from '../errors.js';
import { START_LIMITS } from './limits.js';
import { createLogger, openLogFile } from './log-file.js';

/** What another process does between our check of the full file and our lock. */
const race = vi.hoisted(() => ({ beforeLock: () => {} }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const mkdirSync = (path: string, options?: MakeDirectoryOptions): string | undefined => {
    if (path.endsWith('.lock')) race.beforeLock();
    return fs.mkdirSync(path, options);
  };
  return { ...fs, mkdirSync };
});

let root = '';
let dir = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'colibri-log-'));
  dir = join(root, 'state', 'colibri');
});
afterEach(() => {
  race.beforeLock = () => {};
  rmSync(root, { recursive: true, force: true });
});

const textOf = (name = 'colibri.log'): string => readFileSync(join(dir, name), 'utf8');
/** Oldest line first. */
const allLines = (): string[] => {
  const names = readdirSync(dir).filter((name) => name.endsWith('.log'));
  const age = (name: string): number => Number(/\.(\d+)\.log$/.exec(name)?.[1] ?? 0);
  return names.sort((a, b) => age(b) - age(a)).flatMap((name) => textOf(name).split('\n').slice(0, -1));
};

describe('openLogFile', () => {
  it('appends lines, in files and folders of the user alone', () => {
    const file = openLogFile({ dir });
    expect(existsSync(dir)).toBe(false);
    expect(file.write('one')).toBeUndefined();
    file.write('zwei ü');
    file.close();
    expect(textOf()).toBe('one\nzwei ü\n');
    expect(statSync(join(dir, 'colibri.log')).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('writes nothing after close', () => {
    const file = openLogFile({ dir });
    file.write('one');
    file.close();
    file.close();
    expect(file.write('two')).toBeUndefined();
    expect(textOf()).toBe('one\n');
  });

  it('keeps so many files of so many bytes, the youngest lines', () => {
    const file = openLogFile({ dir, files: 3, fileBytes: 400 });
    for (let n = 0; n < 500; n += 1) file.write(`line ${n}`);
    expect(readdirSync(dir).sort()).toEqual(['colibri.1.log', 'colibri.2.log', 'colibri.log']);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(400);
    const lines = allLines();
    expect(lines.at(-1)).toBe('line 499');
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, n) => `line ${500 - lines.length + n}`));
    expect(lines.length).toBeGreaterThan(80);
  });

  it('can keep a single file', () => {
    const file = openLogFile({ dir, files: 1, fileBytes: 400 });
    for (let n = 0; n < 100; n += 1) file.write(`line ${n}`);
    expect(readdirSync(dir)).toEqual(['colibri.log']);
    expect(allLines().at(-1)).toBe('line 99');
  });

  it('cuts an overlong line, never inside a character', () => {
    const file = openLogFile({ dir, fileBytes: 1_600 });
    for (let pad = 0; pad < 4; pad += 1) file.write('x'.repeat(pad) + '🐦'.repeat(100_000));
    file.write('x'.repeat(99));
    file.write('x'.repeat(100));
    const lines = allLines();
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(Buffer.byteLength(`${line}\n`)).toBeLessThanOrEqual(100);
    for (const line of lines.slice(0, 4)) expect(line).toMatch(/^x{0,3}(🐦)+…$/u);
    expect(lines[4]).toBe('x'.repeat(99));
    expect(lines[5]).toBe(`${'x'.repeat(96)}…`);
  });

  it('goes on in the new file when another process has rotated or removed it', () => {
    const file = openLogFile({ dir });
    file.write('one');
    renameSync(join(dir, 'colibri.log'), join(dir, 'colibri.1.log'));
    file.write('two');
    expect(textOf('colibri.1.log')).toBe('one\n');
    expect(textOf()).toBe('two\n');
    rmSync(dir, { recursive: true });
    file.write('three');
    expect(textOf()).toBe('three\n');
  });

  it('does not rotate the new file away when another process was faster', () => {
    const ours = openLogFile({ dir, files: 3, fileBytes: 400 });
    const theirs = openLogFile({ dir, files: 3, fileBytes: 400 });
    for (let n = 0; n < 40; n += 1) ours.write('nine char');
    race.beforeLock = () => {
      race.beforeLock = () => {};
      theirs.write('theirs');
    };
    ours.write('ours');
    expect(textOf()).toBe('theirs\nours\n');
    expect(existsSync(join(dir, 'colibri.2.log'))).toBe(false);
  });

  it('does not glue a line to one that a full disk tore', () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'colibri.log'), 'whole\nto');
    openLogFile({ dir }).write('next');
    expect(textOf()).toBe('whole\nto\nnext\n');
  });

  it('writes on while another process rotates, and clears the lock of a dead one', () => {
    const file = openLogFile({ dir, files: 2, fileBytes: 400 });
    file.write('first');
    const lock = join(dir, 'colibri.log.lock');
    mkdirSync(lock);
    for (let n = 0; n < 100; n += 1) expect(file.write(`line ${n}`)).toBeUndefined();
    expect(existsSync(join(dir, 'colibri.1.log'))).toBe(false);
    expect(allLines()).toHaveLength(101);
    utimesSync(lock, 0, 0);
    file.write('clears');
    file.write('rotates');
    expect(existsSync(lock)).toBe(false);
    expect(textOf()).toBe('rotates\n');
  });
});

describe('a file that cannot be written', () => {
  const giveUp = (where: string): void => {
    const file = openLogFile({ dir: where });
    expect(file.write('one')).toMatch(/^the log file .* is no longer written: /);
    expect(file.write('two')).toBeUndefined();
    file.close();
  };

  it('is given up after one note: the folder is a file', () => {
    writeFileSync(join(root, 'file'), '');
    giveUp(join(root, 'file', 'colibri'));
    giveUp(join(root, 'file'));
  });

  it('is given up: the name is taken by a folder, a pipe, a dangling loop', () => {
    mkdirSync(join(root, 'a', 'colibri.log'), { recursive: true });
    giveUp(join(root, 'a'));
    mkdirSync(join(root, 'b'));
    execFileSync('mkfifo', [join(root, 'b', 'colibri.log')]);
    giveUp(join(root, 'b'));
    mkdirSync(join(root, 'c'));
    symlinkSync('colibri.log', join(root, 'c', 'colibri.log'));
    giveUp(join(root, 'c'));
  });

  it('is given up: the disk is full', () => {
    // A limit on the size of files simulates a full disk: it too accepts a part of a line and then refuses.
    const script = `
      import { openLogFile } from ${JSON.stringify(compiled.href)};
      process.on('SIGXFSZ', () => {});
      const file = openLogFile({ dir: ${JSON.stringify(dir)} });
      const notes = [];
      for (let n = 0; n < 100; n += 1) notes.push(file.write('x'.repeat(99)));
      process.stdout.write(JSON.stringify(notes.map((note) => note ?? null)));`;
    const command = `ulimit -f 4; exec "$0" --input-type=module -e "$1"`; // blocks of 512 or 1,024 bytes
    const output = execFileSync('bash', ['-c', command, process.execPath, script], { encoding: 'utf8' });
    const notes: (string | null)[] = JSON.parse(output);
    expect(notes.filter(Boolean)).toEqual([expect.stringContaining('the disk is full')]);
    expect(notes.findIndex(Boolean)).toBe(textOf().split('\n').length - 1); // at once, with the line that was torn
    expect(openLogFile({ dir }).write('after')).toBeUndefined();
    expect(textOf().endsWith('\nafter\n')).toBe(true);
  });

  it('is given up: no permission', ({ skip }) => {
    if (process.getuid?.() === 0) skip(); // root may write anywhere
    mkdirSync(dir, { recursive: true });
    chmodSync(dir, 0o500);
    giveUp(dir);
    chmodSync(dir, 0o700);
  });

  it('is given up when it cannot be rotated, rather than grow', () => {
    const file = openLogFile({ dir, files: 2, fileBytes: 400 });
    file.write('one');
    mkdirSync(join(dir, 'colibri.1.log', 'occupied'), { recursive: true });
    const notes = Array.from({ length: 100 }, (_, n) => file.write(`line ${n}`)).filter(Boolean);
    expect(notes).toHaveLength(1);
    expect(statSync(join(dir, 'colibri.log')).size).toBeLessThanOrEqual(400);
    expect(existsSync(join(dir, 'colibri.log.lock'))).toBe(false);
  });
});

describe('three processes at once', () => {
  const LINES = 1_500;

  const writeFromThree = async (files: number, fileBytes: number): Promise<void> => {
    const script = `
      import { openLogFile } from ${JSON.stringify(compiled.href)};
      const [name] = process.argv.slice(1);
      const file = openLogFile({ dir: ${JSON.stringify(dir)}, files: ${files}, fileBytes: ${fileBytes} });
      process.stdout.write('ready');
      process.stdin.once('data', () => {
        for (let n = 0; n < ${LINES}; n += 1) {
          const note = file.write(name + ' ' + n + ' ' + name.repeat(40 + (n % 40)) + ' end');
          if (note) { process.stderr.write(note); process.exit(1); }
        }
        process.exit(0);
      });`;
    const children = ['a', 'b', 'c'].map((name) =>
      spawn(process.execPath, ['--input-type=module', '-e', script, name], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const exits = children.map((child) => once(child, 'exit'));
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    for (const child of children) child.stdin.write('go');
    expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0, 0]);
  };

  const numbersOf = (name: string): number[] =>
    allLines().flatMap((line) => (line.startsWith(name) ? [Number(line.split(' ')[1])] : []));

  it('lose no line, tear none, and rotate no file before it is full', async () => {
    await writeFromThree(200, 4_096); // enough to keep all 320,000 bytes
    for (const line of allLines()) expect(line).toMatch(/^([abc]) \d+ \1{40,79} end$/);
    for (const name of ['a', 'b', 'c']) {
      expect(numbersOf(name).sort((x, y) => x - y)).toEqual(Array.from({ length: LINES }, (_, n) => n));
    }
    const rotated = readdirSync(dir).filter((name) => /\d\.log$/.test(name));
    expect(rotated.length).toBeGreaterThan(10);
    for (const name of rotated) expect(statSync(join(dir, name)).size).toBeGreaterThan(4_096 - 100);
  });

  it('stay within the bounds, however often they rotate', async () => {
    await writeFromThree(3, 4_096);
    const names = readdirSync(dir).filter((name) => name !== 'colibri.log.lock');
    expect(names.sort()).toEqual(['colibri.1.log', 'colibri.2.log', 'colibri.log']);
    for (const line of allLines()) expect(line).toMatch(/^([abc]) \d+ \1{40,79} end$/);
    // While one rotates, the two others may still add lines to the full file.
    const bytes = names.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(3 * 2 * 4_096);
  });
});

/** log-file.ts compiled to JavaScript, to run in separate processes. */
let compiled = new URL('file:///');
let build = '';

beforeAll(() => {
  build = mkdtempSync(join(tmpdir(), 'colibri-log-build-'));
  const repo = fileURLToPath(new URL('../..', import.meta.url));
  const options = {
    rootDir: join(repo, 'src'),
    outDir: build,
    declaration: false,
    typeRoots: [join(repo, 'node_modules/@types')],
  };
  const config = {
    extends: join(repo, 'tsconfig.json'),
    compilerOptions: options,
    files: [join(repo, 'src/start/log-file.ts')],
    include: [],
  };
  writeFileSync(join(build, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(build, 'package.json'), '{"type":"module"}');
  execFileSync(join(repo, 'node_modules/.bin/tsc'), ['-p', build], { stdio: 'inherit' });
  compiled = pathToFileURL(join(build, 'start/log-file.js'));
});
afterAll(() => rmSync(build, { recursive: true, force: true }));

describe('createLogger', () => {
  const AT = Date.parse('2026-11-15T20:00:00.000Z');

  const logged = (level: 'error' | 'warn' | 'info' | 'debug' = 'info') => {
    const stderr: string[] = [];
    const log = createLogger({ level, stderr: (line) => stderr.push(line), file: openLogFile({ dir }), now: () => AT });
    return { log, stderr };
  };

  it('writes one line to both places', () => {
    const { log, stderr } = logged();
    log('info', 'ready:', 14, 'tools');
    log('error', 'no');
    expect(stderr).toEqual(['[colibri] ready: 14 tools', '[colibri] no']);
    expect(textOf()).toBe(
      `2026-11-15T20:00:00.000Z ${process.pid} info  ready: 14 tools\n2026-11-15T20:00:00.000Z ${process.pid} error no\n`,
    );
  });

  it.each([
    ['error', 1],
    ['warn', 2],
    ['info', 3],
    ['debug', 4],
  ] as const)('honours the level %s', (level, lines) => {
    const { log, stderr } = logged(level);
    for (const each of ['error', 'warn', 'info', 'debug'] as const) log(each, each);
    expect(stderr).toHaveLength(lines);
    expect(allLines()).toHaveLength(lines);
  });

  it('lets no value forge a line, a colour or an order', () => {
    const { log, stderr } = logged();
    const hostile = 'a\n2026-11-15T20:00:00.000Z info  forged\r\u001b[2J\u0085\u2028\u202e\u0000\tz';
    log('info', hostile, { [hostile]: hostile }, new Error(hostile), new ColibriError('STORE_BUSY', hostile));
    expect(textOf().split('\n')).toHaveLength(2);
    for (const text of [textOf().slice(0, -1), ...stderr]) {
      expect(text).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
    }
    expect(stderr[0]).toContain(
      'a\\n2026-11-15T20:00:00.000Z info  forged\\r\\u001b[2J\\u0085\\u2028\\u202e\\u0000\\tz',
    );
  });

  it('shows a code with its message, and survives values that do not want to be shown', () => {
    const { log, stderr } = logged();
    log('info', new ColibriError('STORE_BUSY', 'held', { remedy: 'Try again.' }));
    const proxy = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );
    const unfriendly = Object.defineProperty(new Error('x'), 'stack', {
      get: () => {
        throw new Error('no');
      },
    });
    log('info', proxy, unfriendly, undefined, null, Symbol('s'), 1n, Number.NaN);
    expect(stderr[0]).toBe('[colibri] STORE_BUSY: held Try again.');
    expect(stderr[1]).toBe('[colibri] {} (a value that cannot be shown) undefined null Symbol(s) 1n NaN');
  });

  it('cuts what would flood stderr', () => {
    const { log, stderr } = logged();
    log('info', 'x'.repeat(10_000_000));
    expect(stderr[0]?.length).toBeLessThan(START_LIMITS.logFileBytes / 8);
  });

  it('says once on stderr that the file is given up', () => {
    mkdirSync(join(dir, 'colibri.log'), { recursive: true });
    const { log, stderr } = logged();
    log('info', 'one');
    log('info', 'two');
    expect(stderr).toHaveLength(3);
    expect(stderr[1]).toContain('is no longer written');
  });

  it('does without a file', () => {
    const lines: string[] = [];
    createLogger({ level: 'info', stderr: (line) => lines.push(line), now: () => AT })('warn', 'x');
    expect(lines).toEqual(['[colibri] x']);
  });
});
