import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, type TestContext } from 'vitest';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { watchFiles } from './watch-files.js';

const place = ({ expect, onTestFinished }: TestContext) => {
  const dir = fs.mkdtempSync(join(tmpdir(), 'colibri-watch-'));
  const files = ['a', 'b'].map((name) => join(dir, 'folder', name)) as [string, string];
  let told = 0;
  const watch = () => {
    const stop = watchFiles(files, () => void told++);
    onTestFinished(() => {
      stop();
      fs.rmSync(dir, { recursive: true });
    });
    return stop;
  };
  const seen = (count: number) => expect.poll(() => told, { timeout: 10_000 }).toBe(count);
  return { dir, files, watch, seen, told: () => told };
};

it.concurrent('tells of a file that appears, changes, is replaced and goes, in a folder that was not there', async (test) => {
  const { files, watch, seen } = place(test);
  watch();
  const [file] = files;
  fs.mkdirSync(join(file, '..'));
  fs.writeFileSync(file, 'one');
  await seen(1);
  fs.writeFileSync(file, 'two');
  await seen(2);
  fs.writeFileSync(`${file}.new`, 'two');
  fs.renameSync(`${file}.new`, file);
  await seen(3);
  fs.rmSync(file);
  await seen(4);
});

it.concurrent('misses nothing that happens right after it began', async (test) => {
  const { files, watch, seen } = place(test);
  fs.mkdirSync(join(files[1], '..'));
  watch();
  fs.writeFileSync(files[1], 'one');
  await seen(1);
});

it.concurrent('says nothing while nothing changes, or after it was stopped', async (test) => {
  const { files, watch, told } = place(test);
  fs.mkdirSync(join(files[0], '..'));
  fs.writeFileSync(files[0], 'one');
  const stop = watch();
  await sleep(2.5 * SWITCHBOARD_LIMITS.switchboardPollMs);
  stop();
  fs.writeFileSync(files[0], 'two');
  await sleep(1.5 * SWITCHBOARD_LIMITS.switchboardPollMs);
  expect(told()).toBe(0);
});
