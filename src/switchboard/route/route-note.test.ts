import { expect, it } from 'vitest';
import type { Try } from '../../call/answer.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Candidate } from './route.js';
import { attemptsAt, routeNote } from './route.js';

const candidate: Candidate = {
  server: '漢'.repeat(PROOF_LIMITS.nameChars),
  tool: '漢'.repeat(PROOF_LIMITS.nameChars),
  state: 'QUARANTINE',
  eligible: false,
  rank: null,
  reason: 'readiness_failures',
  text: 'x',
  retryAfterMs: 1,
};
const twice: readonly Try[] = [
  { how: 'lost', sent: true, durationMs: 599_999.7 },
  { how: 'server_error', code: 'FALLBACK_CHAIN_EXHAUSTED', sent: true, durationMs: -1 },
];

it('the longest note fits into a record', () => {
  const candidates = Array.from({ length: SWITCHBOARD_LIMITS.routeProviders }, () => candidate);
  const note = routeNote(
    'r'.repeat(64),
    candidates,
    candidates.flatMap((one) => attemptsAt(one, twice)),
  );
  expect(Buffer.byteLength(JSON.stringify(note))).toBeLessThan(PROOF_LIMITS.recordBytes - 4_096);
});

it('foreign names are cut and made well-formed, durations are whole', () => {
  const place = { server: 's\ud800', tool: `${'t'.repeat(200)}` };
  expect(attemptsAt(place, twice)).toEqual([
    { server: 's\ufffd', tool: 't'.repeat(128), how: 'lost', sent: true, duration_ms: 600_000 },
    {
      ...{ server: 's\ufffd', tool: 't'.repeat(128), how: 'server_error' },
      ...{ code: 'FALLBACK_CHAIN_EXHAUSTED', sent: true, duration_ms: 0 },
    },
  ]);
});
