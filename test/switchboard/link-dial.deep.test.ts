// Every server of test/servers/ that misbehaves at its start, and what a dial makes of it.
import { describe, expect, it } from 'vitest';
import { linkPlace, serverFile } from '../support/dial.js';

describe('a dial', () => {
  it('of a server that takes 2.5 s to start', async () => {
    const place = linkPlace();
    const link = await place.link(place.fake('slow-start'));
    expect(link.era).toBe('legacy');
  });

  it.each(['legacy', 'modern'] as const)('of a server that takes longer than the probe: %s', async (era) => {
    const place = linkPlace();
    const slow = place.stdio(process.execPath, [serverFile('slow-start')], { SLOW_MS: '3500', SLOW_ERA: era });
    const { end } = await place.dial(slow);
    expect(end).toMatchObject({ link: { era } });
    expect([...place.deps.eras.verdicts.values()]).toMatchObject([{ era }]);
  });
});
