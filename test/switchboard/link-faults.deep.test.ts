// Every server of test/servers/ that misbehaves later, and what a call makes of it.
import { describe, expect, it } from 'vitest';
import { callTool, linkPlace, textOf, until } from '../support/dial.js';
import { open } from './link-faults.shared.js';

describe('a call', () => {
  it('of a server that flaps', async () => {
    const place = linkPlace();
    for (let round = 0; round < 3; round++) {
      const link = await place.link(place.fake('flaps'));
      await until(() => link.told.lost.length > 0);
      expect(link.told.lost).toEqual(['exited with code 1']);
      await link.close(true);
    }
  });

  it('of a server that reads no more', async () => {
    const { link } = await open('closes-stdin');
    expect(textOf(await callTool(link, 'echo'))).toBe('deaf from now on');
    expect((await callTool(link, 'echo')).end.how).toBe('lost');
    expect(link.told.lost).toHaveLength(1);
  });
});
