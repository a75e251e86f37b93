// `colibri view` under load, in a real browser: it misses nothing, it never says broken, and neither the tab nor the process grows with what it has
// shown. A reader that begins at the beginning is told to load anew.
import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { browserIsHere, noBrowser } from '../support/browser.js';
import { rows } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { eventually } from '../support/process-list.js';
import { serve } from '../support/serve.js';
import { goTo, untilVerdict } from './page.shared.js';
import { pageStore } from './page-store.js';
import { startView } from './view.shared.js';
import { knownTo, openView } from './view-page.shared.js';

browserIsHere();

const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe.skipIf(noBrowser)('the live page', () => {
  const run = counted('calls while the page is open', 20_000);

  it('misses nothing under load, and its memory stays bounded', { timeout: 1_800_000 }, async () => {
    const { place } = await pageStore(20);
    const viewed = await startView(place);
    const page = await openView(viewed);
    await goTo(page, 'calls');
    await untilVerdict(page, 'verified');
    const verdicts = new Set<string>();
    await page.exposeFunction('tell', (verdict: string) => verdicts.add(verdict));
    // The page may load anew while the calls go on, so it is watched from its beginning.
    await page.addInitScript(
      `new MutationObserver(() => window.tell(document.getElementById('banner')?.dataset.verdict ?? 'no banner'))
        .observe(document, { subtree: true, childList: true, attributeFilter: ['data-verdict'] })`,
    );
    await page.reload();
    await untilVerdict(page, 'verified');
    const peer = serve(place);
    await peer.initialize('cursor');
    await peer.phase2();
    const heap = async (): Promise<number> =>
      Number(await page.evaluate('performance.memory.usedJSHeapSize')) / 2 ** 20;
    const samples: { tab: number; process: number }[] = [];
    for (let n = 0; n < run.count; n += 20) {
      await Promise.all(Array.from({ length: 20 }, () => peer.call('server_ping', { n }, 120_000)));
      run.progress(n + 20);
      if (n % Math.max(20, Math.floor(run.count / 10 / 20) * 20) === 0)
        samples.push({ tab: await heap(), process: residentOf(viewed.pid) });
    }
    await peer.end();
    const [{ n = 0 } = {}] = rows<{ n: number }>(place, 'SELECT SUM(size) AS n FROM logs');
    await eventually('every record reached the page', async () => (await knownTo(page)) === n, 120_000);
    await untilVerdict(page, 'verified', 60_000);
    expect([...verdicts].filter((one) => one !== 'no banner').sort()).toEqual(['incomplete', 'unverified', 'verified']);
    samples.push({ tab: await heap(), process: residentOf(viewed.pid) });
    process.stderr.write(
      `view under ${run.count} calls: ${samples.map(({ tab, process: own }) => `tab ${tab.toFixed(0)} MiB, view ${own.toFixed(0)} MiB`).join('; ')}\n`,
    );
    for (const { tab, process: own } of samples) {
      expect(tab).toBeLessThan(300);
      expect(own).toBeLessThan(400);
    }
  });
});
