import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Link, OtherList } from '../link/link.js';
import { Directory } from './directory.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reads again what changes whenever it is read, but not without a pause', async () => {
  const read: OtherList[] = [];
  const list = async (what: OtherList) => {
    read.push(what);
    await Promise.resolve();
    if (what === 'resources' && read.length < 50) directory.read('resources');
    return [{ uri: `test://${read.length}` }];
  };
  const link = { list } as unknown as Link;
  const directory = new Directory({ link: () => link, onChange: () => {}, warn: () => {} });
  directory.read('all');
  await directory.settled;
  expect(read).toEqual(['prompts', 'resources', 'resourceTemplates']);
  expect(directory.entries.resources).toEqual([{ uri: 'test://2' }]);
  await vi.advanceTimersByTimeAsync(990);
  expect(read).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(10);
  expect(read.slice(3)).toEqual(['resources']);
  expect(directory.entries.resources).toEqual([{ uri: 'test://4' }]);
});

it('reads everything of the next connection', async () => {
  let link: Link | undefined;
  const directory = new Directory({ link: () => link, onChange: () => {}, warn: () => {} });
  directory.read('all');
  await directory.settled;
  link = { list: async (what: OtherList) => [{ uri: what }] } as unknown as Link;
  directory.read('all');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(directory.entries.resourceTemplates).toEqual([{ uri: 'resourceTemplates' }]);
});
