import { describe, expect, it } from 'vitest';
import { repairValue } from './from-text.js';

describe('one value', () => {
  it.each([
    [['array'], '[1, 2]', [1, 2]],
    [['object'], '{"a": 1}', { a: 1 }],
    [['number'], ' 1.5 ', 1.5],
    [['integer'], '7', 7],
    [['boolean'], 'true', true],
    [['array', 'null'], '["x"]', ['x']],
  ])('%j wanted, %j sent', (types, sent, expected) => {
    expect(repairValue(types, sent)).toEqual(expected);
  });

  it.each([
    [['string'], '[1]'],
    [['string', 'array'], '[1]'],
    [['array'], '{"a":1}'],
    [['object'], '[1]'],
    [['object'], 'null'],
    [['number'], 'true'],
    [['number'], ''],
    [['number'], 'NaN'],
    [['number'], '1e999'],
    [['number'], '12345678901234567890'],
    [['integer'], '1.5'],
    [['boolean'], '1'],
    [['boolean'], 'True'],
    [['null'], 'null'],
    [[], '1'],
    [['array'], '[1,'],
    [['array'], `${'['.repeat(100)}${']'.repeat(100)}`],
    [['array'], '["\\ud800"]'],
  ])('%j wanted, %j sent: left as it is', (types, sent) => {
    expect(repairValue(types, sent)).toBe(sent);
  });
});
