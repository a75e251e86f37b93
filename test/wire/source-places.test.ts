// Stack traces of the built program name the sources that it was bundled from.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freshPlace, MAIN } from '../support/serve.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the program with a module that is loaded before it. */
const runs = (preload: string, ...args: readonly string[]) => {
  const place = freshPlace();
  const first = `data:text/javascript,${encodeURIComponent(preload)}`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', first, MAIN, ...args], {
    cwd: place.dir,
    env: place.env,
    encoding: 'utf8',
    timeout: 30_000,
    // The end of stdin: `serve` ends with 0 if nothing is thrown.
    input: '',
  });
  return { status, stderr, place };
};

/** The source line that a stack trace names first. */
const lineNamed = (text: string): string => {
  const [, file = '', line = ''] = /file:\/\/(\/\S+\/src\/[a-z/-]+\.ts):(\d+):\d+/.exec(text) ?? [];
  expect(file.startsWith(join(ROOT, 'src'))).toBe(true);
  return fs.readFileSync(file, 'utf8').split('\n')[Number(line) - 1] ?? '';
};

test('serve logs an error that nobody caught with the line of src/ that threw it', () => {
  const { status, stderr } = runs(
    `import v8 from 'node:v8'; import { syncBuiltinESMExports } from 'node:module';
     v8.setFlagsFromString = () => { throw new Error('broken for a test'); };
     syncBuiltinESMExports();`,
    'serve',
  );
  const said = stderr.split('\n').find((line) => line.includes('unhandledRejection')) ?? '';
  expect(said).toContain('Error: broken for a test');
  expect(lineNamed(said)).toContain('setFlagsFromString(');
  expect(said).not.toContain('/dist/');
  expect(status).toBe(1);
});

test('a command prints such an error without the line of the bundle, which is a whole file', () => {
  const { status, stderr } = runs(
    `const late = () => {
       if (process.listenerCount('uncaughtException') === 0) return setImmediate(late);
       throw new Error('late');
     };
     late();`,
    'status',
  );
  expect(stderr).toMatch(/^Error: late\n {4}at /);
  expect(status).toBe(1);
});
