// Folders that are no good skills, each in its own way. Every one must yield exactly one problem and cost nothing else.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { manifest, write } from './folders.js';

export interface Malformed {
  readonly what: string;
  /** Is it listed all the same? */
  readonly listed: boolean;
  /** What the problem must say. */
  readonly reason: RegExp;
  /** Makes it at `dir`, a folder that does not exist yet. */
  make(dir: string): void;
}

const text = (what: string, reason: RegExp, content: string | Buffer, listed = false): Malformed => ({
  what,
  reason,
  listed,
  make: (dir) => write(join(dir, 'SKILL.md'), content),
});

const tree = (what: string, reason: RegExp, more: (dir: string, name: string) => void, listed = false): Malformed => ({
  what,
  reason,
  listed,
  make: (dir) => {
    const name = dir.split('/').at(-1) ?? '';
    write(join(dir, 'SKILL.md'), manifest(name));
    more(dir, name);
  },
});

const front = (...lines: readonly string[]): string => ['---', ...lines, '---', '', 'Do it.', ''].join('\n');

const TEXTS: readonly Malformed[] = [
  text('empty', /empty/, ''),
  text('only blanks', /empty/, ' \n\n'),
  text('no frontmatter', /three dashes/, '# Just text\n'),
  text('frontmatter not at the beginning', /three dashes/, `\n${manifest('x')}`),
  text('frontmatter without end', /closing/, '---\nname: x\ndescription: y\n'),
  text('2 MB of frontmatter', /closing line.*64 KB/, front('name: x', `description: ${'y'.repeat(2_000_000)}`)),
  text(
    'frontmatter within a character of the limit',
    /closing line.*64 KB/,
    front('name: x', `d: ${'ä'.repeat(40_000)}`),
  ),
  text('binary', /binary/, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3])),
  text('no UTF-8', /UTF-8/, Buffer.concat([Buffer.from('---\nname: '), Buffer.from([0xff, 0xc3, 0x28])])),
  text('UTF-16', /binary/, Buffer.from('\ufeff---\nname: x\n', 'utf16le')),
  text('control characters', /control/, front('name: x', 'description: a\u0007b')),
  text('escaped control characters', /control/, front('name: x', 'description: "a\\u001bb"')),
  text('half a surrogate pair', /surrogate/, front('name: x', 'description: "a\\uD800b"')),
  text('no description', /no description/, front('name: x')),
  text('an empty description', /no description/, front('name: x', 'description:')),
  text('a description that is a list', /description is not text/, front('name: x', 'description: [a, b]')),
  text('a name that is a number', /name is not text/, front('name: 7', 'description: d')),
  text('a name that is a path', /lower-case/, front('name: ../../etc', 'description: d')),
  text('a name of 65 characters', /64 characters/, front(`name: ${'n'.repeat(65)}`, 'description: d')),
  text('YAML that is none', /not valid YAML: line 4/, front('name: x', 'description: "never closed')),
  text('tabs for indentation', /not valid YAML/, front('name: x', 'metadata:', '\ta: b', 'description: d')),
  text('duplicate keys', /not valid YAML/, front('name: x', 'description: d', 'description: e')),
  text('a list', /not a list of keys/, front('- name', '- description')),
  text('an alias bomb', /aliases/, front('a: &a [x, x]', 'b: &b [*a, *a]', 'name: x', 'description: d')),
  text('nested brackets', /nested too deeply/, front('name: x', 'description: d', `a: ${'['.repeat(1_900)}`)),
  text('brackets that would end the process', /too large|nested/, front('name: x', `a: ${'['.repeat(60_000)}`)),
  text('60,000 commas', /too large/, front('name: x', `a: [${','.repeat(60_000)}]`)),
  text('a prototype', /__proto__/, front('name: x', 'description: d', '__proto__: {a: b}')),
  text('a number without end', /JSON/, front('name: x', 'description: d', 'a: .inf')),
];

const LISTED: readonly Malformed[] = [
  text('an unquoted colon', /": " and must be quoted/, front('name: colon', 'description: Use when: it is late'), true),
  text('another name than its folder', /name of its folder/, manifest('somebody-else'), true),
  text('no name', /no name; the name of its folder/, front('description: d'), true),
  text('capitals in its name', /lower-case/, front('name: Some Name', 'description: d'), true),
  text('a description of 1,025 characters', /1024/, front('name: long-d', `description: ${'d'.repeat(1_025)}`), true),
  text('an unquoted version', /quote version/, front('name: v', 'description: d', 'metadata:', '  version: 1.0'), true),
  tree(
    'a byte order mark',
    /byte order mark/,
    (dir, name) => write(join(dir, 'SKILL.md'), `\ufeff${manifest(name)}`),
    true,
  ),
  tree(
    'only frontmatter',
    /no instructions/,
    (dir, name) => {
      write(join(dir, 'SKILL.md'), `---\nname: ${name}\ndescription: d\n---\n`);
    },
    true,
  ),
];

const MIB = 1024 ** 2;

const TREES: readonly Malformed[] = [
  tree('a link out of the skill', /leads out/, (dir) => fs.symlinkSync('/etc/passwd', join(dir, 'passwd'))),
  tree('a link to the skill beside it', /leads out/, (dir) => fs.symlinkSync('../good-a/SKILL.md', join(dir, 'a.md'))),
  tree('a link to a folder', /something that is not a file/, (dir) => {
    fs.mkdirSync(join(dir, 'sub'));
    fs.symlinkSync('sub', join(dir, 'link'));
  }),
  tree('a link to its own folder', /leads out/, (dir) => fs.symlinkSync('.', join(dir, 'self'))),
  tree('links in a circle', /circles/, (dir) => {
    fs.symlinkSync('b', join(dir, 'a'));
    fs.symlinkSync('a', join(dir, 'b'));
  }),
  tree('a link to nothing', /leads nowhere/, (dir) => fs.symlinkSync('gone', join(dir, 'a'))),
  {
    what: 'SKILL.md is a link out',
    listed: false,
    reason: /leads out/,
    make: (dir) => {
      fs.mkdirSync(dir);
      fs.symlinkSync('/etc/passwd', join(dir, 'SKILL.md'));
    },
  },
  {
    what: 'SKILL.md is a folder',
    listed: false,
    reason: /folder/,
    make: (dir) => {
      fs.mkdirSync(join(dir, 'SKILL.md'), { recursive: true });
    },
  },
  {
    what: 'SKILL.md is a pipe',
    listed: false,
    reason: /neither a file/,
    make: (dir) => {
      fs.mkdirSync(dir);
      execFileSync('mkfifo', [join(dir, 'SKILL.md')]);
    },
  },
  tree('a pipe', /neither a file/, (dir) => execFileSync('mkfifo', [join(dir, 'pipe')])),
  {
    what: 'skill.md in small letters',
    listed: false,
    reason: /must be called SKILL\.md/,
    make: (dir) => {
      write(join(dir, 'skill.md'), manifest('small'));
    },
  },
  tree('513 files', /more than 512 files/, (dir) => {
    for (let at = 0; at < 512; at += 1) write(join(dir, 'files', `${at}.txt`), '');
  }),
  tree('2,000 folders', /more than 512 files/, (dir) => {
    for (let at = 0; at < 2_000; at += 1) fs.mkdirSync(join(dir, `f${at}`));
  }),
  tree('17 MiB', /16 MiB/, (dir) => {
    write(join(dir, 'large.bin'), '');
    fs.truncateSync(join(dir, 'large.bin'), 17 * MIB);
  }),
  tree('deep nesting', /nested deeper/, (dir) => {
    fs.mkdirSync(join(dir, ...Array.from({ length: 9 }, () => 'd')), { recursive: true });
  }),
  tree('a line feed in a file name', /file name/, (dir) => write(join(dir, 'a\nb'), '')),
  tree('a file name that is no UTF-8', /UTF-8/, (dir) => {
    fs.writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe])]), '');
  }),
];

export const MALFORMED: readonly Malformed[] = [...TEXTS, ...LISTED, ...TREES];
