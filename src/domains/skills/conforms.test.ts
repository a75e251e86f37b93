// Every skill that we offer to hosts must pass the SDK's rules, because its client rejects a whole list for one entry
// that does not.
import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readFields } from './fields.js';
import { parseFrontmatter } from './frontmatter.js';
import { Unfit } from './skill.js';

const text = fc.oneof(
  fc.string({ maxLength: 20, unit: 'grapheme' }),
  fc.constantFrom('a', 'a-b', 'a--b', '-a', 'A b', '', ' ', 'x'.repeat(64), 'x'.repeat(65)),
  fc.nat({ max: 1_200 }).map((count) => 'd'.repeat(count)),
);
const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 3 }));
const map = fc.dictionary(
  fc.constantFrom('version', 'capabilities', 'x'),
  fc.oneof(text, fc.integer(), fc.constant(null)),
);
const frontmatter = fc.record(
  {
    name: fc.oneof(
      { arbitrary: fc.constantFrom('a', 'a-b', 'x'.repeat(64)), weight: 4 },
      { arbitrary: value, weight: 1 },
    ),
    description: fc.oneof({ arbitrary: text, weight: 4 }, { arbitrary: value, weight: 1 }),
    license: value,
    compatibility: value,
    metadata: fc.oneof(map, value),
    'allowed-tools': value,
    version: value,
  },
  { requiredKeys: [] },
);

/** JSON is YAML, on one line a key. */
const yamlOf = (front: object): string =>
  Object.entries(front)
    .map(([key, inner]) => `${key}: ${JSON.stringify(inner)}\n`)
    .join('');

const fitting = (yaml: string) => {
  try {
    return readFields(parseFrontmatter(yaml), 'a');
  } catch (thrown) {
    if (thrown instanceof Unfit) return undefined;
    throw thrown;
  }
};

it('what conforms, conforms to the SDK’s rules too', async () => {
  let conforming = 0;
  await fc.assert(
    fc.asyncProperty(frontmatter, async (front) => {
      const yaml = yamlOf(front);
      const reading = fitting(yaml);
      if (reading?.conforms !== true) return;
      conforming += 1;
      const entry = await skillEntry(reading.fields.name, { 'SKILL.md': `---\n${yaml}---\nbody` });
      expect(entry.frontmatter).toEqual(parseFrontmatter(yaml).value);
    }),
    { numRuns: 2_000 },
  );
  expect(conforming).toBeGreaterThan(10);
});
