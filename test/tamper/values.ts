// Other values for a value: a little different, quite different, of another type.
import type { Random } from '../support/random.js';
import type { Cell } from './tables.js';

const otherNumber = (value: number, random: Random): number =>
  random.pick([value + 1, value - 1, -value, value * 2, 0, 1, random.int(1000), value + 0.5, value + 2 ** 32, 2 ** 53]);

const otherText = (value: string, random: Random): string => {
  const at = random.int(value.length);
  const letter = random.pick(['0', '1', 'a', 'f', 'A', ' ', 'é', '\u0000', '\ufffd', '"']);
  return random.pick([
    `${value.slice(0, at)}${letter}${value.slice(at + 1)}`,
    `${value.slice(0, at)}${value.slice(at + 1)}`,
    `${value}${letter}`,
    value.toUpperCase(),
    value.toLowerCase(),
    value.trim(),
    value.normalize('NFD'),
    [...value].reverse().join(''),
    '',
  ]);
};

/** A value of the same type that may or may not be another one. */
export const alike = (value: Cell, random: Random): Cell => {
  if (typeof value === 'number') return otherNumber(value, random);
  if (typeof value === 'string') return otherText(value, random);
  return random.pick<Cell>(['', 'x', 0, 1, 'T-0001', '2026-11-15T18:30:00.000Z']);
};

/** The same or something else in another type. */
export const ofOtherType = (value: Cell, random: Random): Cell => {
  const text = value === null ? '' : String(value);
  return random.pick<Cell>([null, Buffer.from(text), Buffer.alloc(0), text, Number.parseFloat(text) || 0, 1.5, 'x']);
};

/** U+FFFD is what bytes come back as that are no text: the same text to a careless reader. */
export const malformed = (value: Cell): Buffer | undefined => {
  if (typeof value !== 'string' || !value.includes('\ufffd')) return undefined;
  return Buffer.from(Buffer.from(value).toString('hex').replace('efbfbd', 'f09080'), 'hex');
};
