// Tests how the fields of a frontmatter are read, and which faults are noted.
import { describe, expect, it } from 'vitest';
import { readFields } from './fields.js';
import { parseFrontmatter } from './frontmatter.js';
import { Unfit } from './skill.js';

const read = (yaml: string, folder = 'a') => readFields(parseFrontmatter(yaml), folder);
const withFields = (...lines: string[]) => read(['name: a', 'description: d', ...lines].join('\n'));

describe('readFields', () => {
  it('reads a whole frontmatter', () => {
    const { fields, notes, conforms } = read(
      [
        'name: a',
        'description: What it does.',
        'license: MIT',
        'compatibility: Needs git',
        'allowed-tools: Bash(git add *) Read, Write',
        'metadata:',
        '  version: "1.0"',
        '  capabilities: one, two',
      ].join('\n'),
    );
    expect(fields).toEqual({
      name: 'a',
      description: 'What it does.',
      version: '1.0',
      license: 'MIT',
      compatibility: 'Needs git',
      capabilities: ['one', 'two'],
      allowedTools: ['Bash(git add *)', 'Read', 'Write'],
    });
    expect([notes, conforms]).toEqual([[], true]);
  });

  it('gives null for what is absent', () => {
    expect(withFields().fields).toMatchObject({
      version: null,
      license: null,
      compatibility: null,
      capabilities: null,
      allowedTools: null,
    });
  });

  it('reads lists and a version at the top too', () => {
    const { fields } = withFields('version: 1.0', 'capabilities: [x, y]', 'allowed-tools:', '  - A', '  - B');
    expect(fields).toMatchObject({ version: '1.0', capabilities: ['x', 'y'], allowedTools: ['A', 'B'] });
  });

  it.each([
    ['no name', 'description: d', /no name/, false],
    ['another name than the folder', 'name: b\ndescription: d', /name of its folder/, true],
    ['capitals', 'name: A B\ndescription: d', /lower-case/, false],
    ['two hyphens', 'name: a--b\ndescription: d', /lower-case/, false],
    ['a long description', `name: a\ndescription: ${'x'.repeat(1_025)}`, /longer than 1024/, false],
    ['a number in metadata', 'name: a\ndescription: d\nmetadata: {version: 1.0}', /quote version/, false],
    ['metadata that is a list', 'name: a\ndescription: d\nmetadata: [x]', /metadata/, false],
    ['a long compatibility', `name: a\ndescription: d\ncompatibility: ${'x'.repeat(501)}`, /compatibility/, false],
    ['an odd license', 'name: a\ndescription: d\nlicense: 7', /license/, true],
    ['odd tools', 'name: a\ndescription: d\nallowed-tools: {a: b}', /allowed-tools/, true],
    ['many tools', `name: a\ndescription: d\nallowed-tools: ${'tool '.repeat(300)}`, /cut/, true],
    ['an unquoted colon', 'name: a\ndescription: Use when: late', /quoted/, false],
  ])('lists one with %s and says what is wrong', (_, yaml, note, conforms) => {
    const result = read(yaml);
    expect(result.notes).toHaveLength(1);
    expect(result.notes[0]).toMatch(note);
    expect(result.conforms).toBe(conforms);
  });

  it.each([
    ['no description', 'name: a'],
    ['an empty description', 'name: a\ndescription: ""'],
    ['a blank description', 'name: a\ndescription: "  "'],
    ['a description that is a list', 'name: a\ndescription: [d]'],
    ['a description with control characters', 'name: a\ndescription: "x\\u0007"'],
    ['a description with half a pair', 'name: a\ndescription: "\\uD800"'],
    ['a long name', `name: ${'a'.repeat(65)}\ndescription: d`],
    ['a name that is a number', 'name: 1\ndescription: d'],
    ['a name with a slash', 'name: ../a\ndescription: d'],
    ['a name with control characters', 'name: "a\\n"\ndescription: d'],
    ['a number without end', 'name: a\ndescription: d\nx: .inf'],
    ['a prototype', 'name: a\ndescription: d\n__proto__: {x: 1}'],
  ])('refuses one with %s', (_, yaml) => {
    expect(() => read(yaml)).toThrow(Unfit);
  });

  it('cuts at characters, not inside them', () => {
    const { fields } = read(`name: a\ndescription: ${'😀'.repeat(1_100)}`);
    expect([...fields.description]).toHaveLength(1_024);
    expect(fields.description.isWellFormed()).toBe(true);
  });
});
