import { describe, expect, it } from 'vitest';
import { ColibriError } from './errors.js';
import { detectMode, type Env, MODES, quote, RUNTIME_MODES } from './modes.js';

const refusalOf = (env: Env): ColibriError => {
  try {
    detectMode(env);
  } catch (thrown) {
    if (thrown instanceof ColibriError) return thrown;
  }
  throw new Error('was not refused');
};

describe('detectMode', () => {
  it.each(RUNTIME_MODES)('reads %s', (mode) => {
    expect(detectMode({ COLIBRI_MODE: mode })).toBe(mode);
  });

  it.each([{}, { COLIBRI_MODE: '' }, { COLIBRI_MODE: undefined }, { AMS_MODE: '' }])('is FULL for %j', (env) => {
    expect(detectMode(env)).toBe('FULL');
  });

  it.each(['full', ' FULL', 'FULL ', 'NONE', '0', 'constructor', '__proto__'])('refuses %j', (text) => {
    const error = refusalOf({ COLIBRI_MODE: text });
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toBe(
      `COLIBRI_MODE=${JSON.stringify(text)} is not allowed; allowed: FULL READONLY TEST MINIMAL`,
    );
  });

  it('refuses AMS_MODE even beside a good COLIBRI_MODE', () => {
    const error = refusalOf({ AMS_MODE: 'FULL', COLIBRI_MODE: 'FULL' });
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toMatch(/^AMS_MODE="FULL" is refused; .*COLIBRI_MODE.*FULL READONLY TEST MINIMAL$/);
  });

  it('reports both problems at once', () => {
    expect(refusalOf({ AMS_MODE: 'x', COLIBRI_MODE: 'y' }).message.split('\n')).toHaveLength(2);
  });
});

describe('MODES', () => {
  it('says what each mode may do', () => {
    expect(MODES).toEqual({
      FULL: { store: 'write', ledger: true, logFile: true },
      READONLY: { store: 'read', ledger: false, logFile: false },
      TEST: { store: 'throwaway', ledger: true, logFile: false },
      MINIMAL: { store: 'none', ledger: false, logFile: true },
    });
  });
});

describe('quote', () => {
  it('lets no value forge a line or a colour', () => {
    expect(quote('a\nb\u001b[31m\u007f\u0085\u2028')).toBe('"a\\nb\\u001b[31m\\u007f\\u0085\\u2028"');
  });

  it('cuts a long value', () => {
    expect(quote('x'.repeat(10_000_000)).length).toBeLessThan(130);
  });
});
