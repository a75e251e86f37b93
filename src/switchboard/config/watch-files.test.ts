import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { watchFiles } from './watch-files.js';

const place = () => {
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
  return { dir, files, watch, told: () => told };
};

const seen = (told: () => number, count: number) => expect.poll(told, { timeout: 10_000 }).toBe(count);

it('tells of a file that appears, changes, is replaced and goes, in a folder that was not there', async () => {
  const { files, watch, told } = place();
  watch();
  const [file] = files;
  fs.mkdirSync(join(file, '..'));
  fs.writeFileSync(file, 'one');
  await seen(told, 1);
  fs.writeFileSync(file, 'two');
  await seen(told, 2);
  fs.writeFileSync(`${file}.new`, 'two');
  fs.renameSync(`${file}.new`, file);
  await seen(told, 3);
  fs.rmSync(file);
  await seen(told, 4);
});

it('misses nothing that happens right after it began', async () => {
  const { files, watch, told } = place();
  fs.mkdirSync(join(files[1], '..'));
  watch();
  fs.writeFileSync(files[1], 'one');
  await seen(told, 1);
});

it('says nothing while nothing changes, or after it was stopped', async () => {
  const { files, watch, told } = place();
  fs.mkdirSync(join(files[0], '..'));
  fs.writeFileSync(files[0], 'one');
  const stop = watch();
  await sleep(2.5 * SWITCHBOARD_LIMITS.switchboardPollMs);
  stop();
  fs.writeFileSync(files[0], 'two');
  await sleep(1.5 * SWITCHBOARD_LIMITS.switchboardPollMs);
  expect(told()).toBe(0);
});
