import { describe, expect, it } from 'vitest';
import { parseSwitchboard, type ServerConfig } from '../config/config.js';
import type { DeclaredTool, LinkEnd } from '../link/link.js';
import { capabilityFault, checkEvent, meets, settingsFor } from './checks.js';
import { StoredCatalogue } from './stored-catalogue.js';

const result = (members: Record<string, unknown>) => ({ how: 'response', result: members }) as const;
const error = { how: 'response', error: { code: -32_000, message: 'no' } } as const;

describe('an expectation', () => {
  const text = result({ content: [{ type: 'text', text: 'all is well' }] });

  it('of an answer is met by any', () => {
    expect([error, result({ isError: true }), text].map((end) => meets('answer', end))).toEqual([true, true, true]);
  });

  it('of a result is met by one without isError', () => {
    expect([error, result({ isError: true }), text].map((end) => meets('result', end))).toEqual([false, false, true]);
  });

  it('of a text is met by a result that holds it', () => {
    const ends = [error, text, result({ structuredContent: { is: 'well' } }), result({ content: 'well' }), result({})];
    expect(ends.map((end) => meets({ contains: 'well' }, end))).toEqual([false, true, true, false, false]);
    expect(meets({ contains: 'well' }, result({ ...text.result, isError: true }))).toBe(false);
  });
});

describe('the end of a check', () => {
  const asked = { dial: 1, signal: 'readiness', check: 4 } as const;
  const eventOf = (end: LinkEnd) =>
    checkEvent(asked, { end, sent: true, frames: 0, elapsedMs: 1 }, { expect: 'answer', callInFlight: true });

  it('becomes the event that says it', () => {
    const rest = { callInFlight: true };
    expect(eventOf(error)).toEqual({ ...asked, type: 'check_passed' });
    expect(eventOf({ how: 'timeout' })).toEqual({ ...asked, ...rest, type: 'check_failed', how: 'timeout' });
    expect(eventOf({ how: 'server_error' })).toEqual({ ...asked, ...rest, type: 'check_failed', how: 'wrong' });
    expect(eventOf({ how: 'lost' })).toEqual({ ...asked, ...rest, type: 'check_failed', how: 'wrong' });
    expect(eventOf({ how: 'cancelled' })).toEqual({ ...asked, type: 'check_cancelled' });
    expect(eventOf({ how: 'auth_required', status: 403 })).toEqual({
      ...asked,
      type: 'auth_required',
      during: 'check',
      status: 403,
    });
    expect(eventOf({ how: 'throttled', retryAfterMs: 5 })).toEqual({
      ...asked,
      type: 'throttled',
      during: 'check',
      retryAfterMs: 5,
    });
  });
});

describe('a capability check', () => {
  const configOf = (more: object): ServerConfig => {
    const server = { command: 'x', health: { capability: { tool: 'look' } }, ...more };
    const text = JSON.stringify({ mcpServers: { s: server } });
    const [config] = parseSwitchboard(text, { file: 'f', env: {}, configDir: '/' }).servers;
    if (config === undefined) throw new Error('no server');
    return config;
  };
  const hinted: DeclaredTool = { name: 'look', annotations: { readOnlyHint: true } };
  const isOn = (more: object, tools: readonly DeclaredTool[]): boolean => {
    const catalogue = new StoredCatalogue(tools);
    const config = configOf(more);
    const isSet = settingsFor(config, catalogue).capability !== null;
    expect(capabilityFault(config, catalogue) === null).toBe(isSet);
    return isSet;
  };

  it('needs a tool that is read-only, by its own word or by the configuration', () => {
    expect(isOn({}, [hinted])).toBe(true);
    expect(isOn({}, [{ name: 'look' }])).toBe(false);
    expect(isOn({}, [])).toBe(false);
    expect(isOn({ trustHints: false }, [hinted])).toBe(false);
    expect(isOn({ tools: { readOnly: ['l*'] } }, [])).toBe(true);
  });

  it('is off where every call of its tool needs a yes, whatever the server says of the tool', () => {
    const faultWith = (annotations: object) =>
      capabilityFault(
        configOf({ tools: { ask: 'destructive' } }),
        new StoredCatalogue([{ name: 'look', annotations }]),
      );
    expect(faultWith({ readOnlyHint: true })).toBeNull();
    expect(faultWith({ readOnlyHint: true, destructiveHint: true })).toContain('needs the yes of a person');
    expect(faultWith({})).toContain('needs the yes of a person');
  });

  it('that is off says so', () => {
    expect(capabilityFault(configOf({}), new StoredCatalogue([{ name: 'look' }]))).toBe(
      'capability check is off: look is not known to be read-only',
    );
  });
});
