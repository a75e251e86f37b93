// Into a pipe nothing is cut and nothing is broken, whatever a command shows; COLUMNS makes a screen of it.
import { expect, test, vi } from 'vitest';
import { colibri } from '../support/command-line.js';
import { peerOf } from '../support/command-output.js';
import { freshPlace } from '../support/serve.js';
import { CLIENT } from './pipe.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

test.each(['', '0', 'wide', '-3', '1e9'])('COLUMNS=%j says nothing', async (COLUMNS) => {
  const place = freshPlace();
  const peer = await peerOf(place, CLIENT);
  await peer.end();
  const told = await colibri(place, ['status'], { env: { COLUMNS } });
  expect(told.stdout).toMatch(/^not +what an agent does .* that does not pass here$/m);
});
