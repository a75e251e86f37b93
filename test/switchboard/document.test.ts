// docs/switchboard.md says what the code says.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REFUSAL_KEY } from '../../src/call/answer.js';
import { parseSwitchboard } from '../../src/switchboard/config/config.js';
import { machineSettings } from '../../src/switchboard/config/health-settings.js';
import { toolUnavailable } from '../../src/switchboard/refusal.js';
import { WITH_CAPABILITY } from '../support/health-machine.js';
import { healthTable } from '../support/health-table.js';

const document = readFileSync(new URL('../../docs/switchboard.md', import.meta.url), 'utf8');
const blocks = [...document.matchAll(/^```json\n(.*?)^```$/gms)].map((block) => block[1] ?? '');

it('the table of states is the one of the code', () => {
  expect(document).toContain(`\n\n${healthTable()}\n\n`);
});

it('the example is a file without errors or warnings, and shows the defaults', () => {
  const parsed = parseSwitchboard(blocks[0] ?? '', { file: 'f', env: { API_KEY: 'k' }, configDir: '/c' });
  expect([parsed.errors, parsed.warnings]).toEqual([[], []]);
  const [shown, bare] = parsed.servers;
  if (shown === undefined || bare === undefined) throw new Error('two servers are shown');
  expect(machineSettings(shown.health)).toEqual(WITH_CAPABILITY);
  const { name: _n, asked: _a, written: _w, connection: _c, health, tools, ...plain } = shown;
  expect(bare).toMatchObject(plain);
  expect(bare.health).toEqual({ ...health, capability: null });
  expect(bare.tools).toEqual({ ...tools, readOnly: [] });
  expect(shown.health.capability?.declaredReadOnly).toBe(true);
});

it('the refusal is one of the code', () => {
  const refusal = toolUnavailable({
    server: 'brave-search',
    tool: 'web_search',
    state: 'QUARANTINE',
    reason: 'readiness_failures',
    text: '',
    retryAfterMs: 41_200,
    alternatives: [{ server: 'google-search', tool: 'search', name: 'google-search__search' }],
  });
  expect(JSON.parse(blocks[1] ?? '')).toEqual(refusal._meta[REFUSAL_KEY]);
});
