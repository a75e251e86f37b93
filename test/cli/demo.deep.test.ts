// colibri demo: what it claims is held against what it left behind, read by code that shares nothing with it; and a
// product with one thing broken makes it fail.
import * as fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { filesBelow } from '../support/serve.js';
import { brokenBuild, demoPlace, PATIENCE_MS, processesIn, runDemo } from './demo-run.js';

test(
  'for people: 80 columns, no colours, nothing left; what to do next exists',
  async () => {
    const place = demoPlace();
    const { code, stdout, stderr } = await runDemo(place);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const lines = stdout.split('\n');
    const [story, next] = [lines.slice(0, lines.indexOf('To go on:')), lines.slice(lines.indexOf('To go on:') + 1)];
    const tooLong = story.filter((line) => line.length > 80 && !line.includes(place.tmp));
    expect(tooLong).toEqual([]);
    expect(stdout.match(/^ {3}ok {2}\S/gm)).toHaveLength(Number(/All (\d+) claims held/.exec(stdout)?.[1]));
    expect(stdout).toMatch(/its connection was\s+lost once/);
    expect(stdout).toMatch(/503 Service Unavailable \(Tool: almanac\)/);
    expect(stdout).toMatch(/, which is gone\s+now\.$/m);
    expect(filesBelow(place.dir)).toEqual([]);
    expect(processesIn(place.dir)).toEqual([]);

    // What the README shows of it is what it says, but for numbers and names that differ each time.
    const known = (text: string): string => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#');
    const shown =
      /^```text\n(.*?)^```$/ms.exec(fs.readFileSync(new URL('../../README.md', import.meta.url), 'utf8'))?.[1] ?? '';
    expect(shown).not.toBe('');
    const said = new Set(story.map(known));
    expect(
      shown
        .trimEnd()
        .split('\n')
        .filter((line) => !said.has(known(line))),
    ).toEqual([]);

    const help = await colibri(place, ['--help']);
    const commands = next.flatMap((line) => /^ {2}(?:colibri|node \S+) (\w+)$/.exec(line)?.[1] ?? []);
    expect(commands).toEqual(['init', 'status']);
    for (const command of commands) expect(help.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  },
  PATIENCE_MS,
);

describe('interrupted', () => {
  test.each(['An agent at work', 'are listed with ours', '5. Proof'])(
    'at "%s" it ends what it started and removes its folder',
    async (interruptAt) => {
      const place = demoPlace();
      const { code, stderr, stdout } = await runDemo(place, { interruptAt });
      expect({ code, stderr }).toEqual({ code: 130, stderr: 'colibri: Stopped. Its folder was removed.\n' });
      expect(stdout).not.toContain('To go on:');
      expect(filesBelow(place.dir)).toEqual([]);
      expect(processesIn(place.dir)).toEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    'a reader that goes away leaves nothing behind either',
    async () => {
      const place = demoPlace();
      expect(await runDemo(place, { deaf: true })).toMatchObject({ code: 0, stderr: '' });
      expect(filesBelow(place.dir)).toEqual([]);
      expect(processesIn(place.dir)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('a product with one thing broken', () => {
  const FAULTS: readonly { name: string; file: string; from: string; to: string; claim: RegExp }[] = [
    {
      name: 'tasks may skip states',
      file: 'domains/tasks/state-machine.js',
      from: "INIT: ['GATHER', 'CANCELLED']",
      to: "INIT: ['GATHER', 'DONE', 'CANCELLED']",
      claim: /straight to DONE is refused|task_update answers as it promises/,
    },
    {
      name: 'receipts name other records',
      file: 'middleware/audit.js',
      from: 'const { seq, leaf } = appended;',
      to: "const { seq } = appended; const leaf = '0'.repeat(64);",
      claim: /every receipt that the client kept is in the ledger/,
    },
    {
      name: 'routes stop at their first provider',
      file: 'switchboard/route/route.js',
      from: '!tried.has(at)',
      to: '!tried.has(at) && at === 0',
      claim: /the route still answers/,
    },
    {
      name: 'verify does not look at contents',
      file: 'verify/evidence/thoughts.js',
      from: "[say('row', where, 'content is not what was digested')]",
      to: '[]',
      claim: /verify says 20/,
    },
  ];

  test.each(FAULTS)(
    '$name: it fails and says where',
    async ({ file, from, to, claim }) => {
      const place = demoPlace();
      const main = brokenBuild(place, file, from, to);
      const before = filesBelow(place.tmp);
      const { code, stdout, stderr } = await runDemo(place, { main, args: ['--json'] });
      expect(code).toBe(1);
      expect(stderr).toMatch(claim);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, failure: expect.stringMatching(claim) });
      expect(filesBelow(place.tmp)).toEqual(before);
      expect(processesIn(place.tmp)).toEqual([]);
    },
    PATIENCE_MS,
  );
});
