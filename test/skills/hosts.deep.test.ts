// Skills on the wire: what agents get by skill_list and what hosts get by the skills extension are the same.
import '../support/deep-part.js';
import './hosts.test.js';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { digestOfList } from '../../src/domains/skills/digests.js';
import { CLIENT_KINDS, type Message, serve, session } from '../support/serve.js';
import { AGENTS, manifest, skill, write } from './folders.js';
import { connectHost, dataOf, digested, freshProject, listAll, SHIPPED } from './hosts.js';
import { MALFORMED } from './malformed.js';

const pathOf = (uri: string): string => decodeURIComponent(uri.slice(uri.indexOf('/', 'skill://'.length) + 1));
const hexOf = (digest: string): string => digest.slice('sha256:'.length);

/** The digest of a skill as anybody can make it of what the extension says. */
const digestOfEntry = ({ resources }: Message): string =>
  digestOfList(
    resources
      .map(({ uri, digest }: Message) => [pathOf(uri), hexOf(digest)] as const)
      .toSorted(([a]: [string], [b]: [string]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );

const NOBODY = 65_534;

describe.each(CLIENT_KINDS)('%s', (kind) => {
  it('sees the same skills both ways, with equal digests', async () => {
    const place = freshProject();
    skill(join(place.dir, AGENTS), 'own', {
      'references/GUIDE & more.md': 'guide',
      'scripts/run.sh': 'true',
      'B.md': '',
    });
    const host = await connectHost(place, kind);
    expect(host.capabilities()).toMatchObject({
      resources: { listChanged: true },
      extensions: { 'io.modelcontextprotocol/skills': {} },
    });
    const first = await host.request('skills/list');
    expect(first.skills.map(({ resources }: Message) => resources)).toEqual(Array(4).fill('dynamic'));
    const list = await digested(host);
    const hosted = await host.request('skills/list');
    expect(list.skills.map(({ name }: Message) => name)).toEqual([...SHIPPED, 'own']);
    expect(list.problems).toEqual([]);
    expect(hosted.skills.map(({ frontmatter }: Message) => frontmatter.name)).toEqual([...SHIPPED, 'own']);
    expect(hosted.skills.map(digestOfEntry)).toEqual(list.skills.map(({ digest }: Message) => digest));
    expect(hosted.skills.map(({ _meta }: Message) => _meta['dev.colibri/digest'])).toEqual(
      list.skills.map(({ digest }: Message) => digest),
    );
    for (const { source } of list.skills) expect(fs.existsSync(source)).toBe(true);
  });

  it('reads every file of a skill, and nothing else', async () => {
    const place = freshProject();
    const folder = skill(join(place.dir, AGENTS), 'own', { 'a/b c.md': 'text', '.env': 'SECRET=1' });
    fs.writeFileSync(join(folder, 'x.bin'), Buffer.from([0xff, 0]));
    write(join(place.dir, 'secret.txt'), 'secret');
    const host = await connectHost(place, kind);
    const read = async (uri: string) => (await host.request('resources/read', { uri })).contents[0];
    expect((await read('skill://own/SKILL.md')).text).toBe(manifest('own'));
    expect(await read('skill://own/a/b%20c.md')).toMatchObject({ text: 'text', mimeType: 'text/markdown' });
    expect((await read('skill://own/x.bin')).blob).toBe('/wA=');
    const outside = [
      'skill://own/.env',
      'skill://own/../../../secret.txt',
      'skill://own/..%2F..%2F..%2Fsecret.txt',
      'skill://own/a',
      'skill://own/',
      'skill://own',
      'skill://other/SKILL.md',
      `file://${place.dir}/secret.txt`,
      'skill://own/%00',
      '',
    ];
    for (const uri of outside) await expect(read(uri), uri).rejects.toThrow();
    const { resources } = await host.request('resources/list');
    expect(resources.map(({ name }: Message) => name)).toEqual([...SHIPPED, 'own']);
    const { resourceTemplates } = await host.request('resources/templates/list');
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'skill://{skill}/{+path}' }]);
  });

  it('hears of a change without a restart', async () => {
    const place = freshProject();
    skill(join(place.dir, AGENTS), 'a');
    const host = await connectHost(place, kind);
    await digested(host);
    const told = vi.fn();
    await host.listen(told);
    skill(join(place.dir, AGENTS), 'b');
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), 10_000);
    const names = async () => (await listAll(host)).skills.map(({ name }: Message) => name);
    expect(await names()).toEqual(['a', 'b', ...SHIPPED]);
    fs.rmSync(join(place.dir, AGENTS, 'a'), { recursive: true });
    await vi.waitFor(async () => expect(await names()).toEqual(['b', ...SHIPPED]), 10_000);
  });

  it('gets what conforms; one bad skill does not spoil the list', async () => {
    const place = freshProject();
    skill(join(place.dir, AGENTS), 'good');
    for (const [at, { make }] of MALFORMED.entries()) make(join(place.dir, AGENTS, `bad-${at}`));
    const host = await connectHost(place, kind);
    const list = await listAll(host);
    expect(list.problems.length).toBeGreaterThanOrEqual(40);
    const listed = list.skills.map(({ name }: Message) => name);
    const hosted = (await host.request('skills/list')).skills.map(({ frontmatter }: Message) => frontmatter.name);
    expect(listed).toEqual(expect.arrayContaining(['good', 'colon', 'Some Name', 'somebody-else', ...SHIPPED]));
    expect(hosted).toEqual(expect.arrayContaining(['good', 'somebody-else', ...SHIPPED]));
    expect(hosted).not.toContain('Some Name');
    // The SDK's client refuses the whole list for one entry that breaks a rule.
    if (host.skills !== undefined) expect((await host.skills.list()).invalid).toEqual([]);
  });
});

describe('skill_list', () => {
  it('stays within 24 KB whatever skills say', async () => {
    const place = freshProject();
    for (let at = 0; at < 60; at += 1) {
      const odd = `"${'\\"\\\\'.repeat(250)}"`;
      write(
        join(place.dir, AGENTS, `odd-${at}`, 'SKILL.md'),
        [
          '---',
          `name: odd-${at}`,
          `description: "${'😀'.repeat(1_024)}"`,
          `compatibility: ${odd}`,
          `license: ${odd}`,
          `allowed-tools: "${'😀'.repeat(790)} x"`,
          `capabilities: "${'é'.repeat(790)} x"`,
          '---',
          'x',
        ].join('\n'),
      );
    }
    await session(place, async (peer) => {
      const { result } = await peer.call('skill_list', {});
      expect(result.structuredContent.ok).toBe(true);
      expect(result.structuredContent.data.problems.at(-1).reason).toMatch(/^and \d+ more$/);
      expect(Buffer.byteLength(JSON.stringify(result.structuredContent))).toBeLessThanOrEqual(24 * 1024);
    });
  });

  it('COLIBRI_SKILLS_DIR stands in for the folders of the project', async () => {
    const place = freshProject();
    skill(join(place.dir, AGENTS), 'project');
    skill(join(place.dir, 'mine'), 'mine');
    const look = async (dir: string) => {
      const env = { COLIBRI_SKILLS_DIR: dir };
      return (await session(place, async (peer) => dataOf((await peer.call('skill_list', {})).result), { env })).value;
    };
    expect((await look('mine')).skills.map(({ name }: Message) => name)).toEqual([...SHIPPED, 'mine']);
    const missing = await look('nowhere');
    expect(missing.skills).toHaveLength(SHIPPED.length);
    expect(missing.problems).toEqual([
      { path: join(place.dir, 'nowhere'), reason: 'skipped: there is no such folder' },
    ]);
  });

  it.each(['READONLY', 'TEST'])('answers in mode %s', async (mode) => {
    const place = freshProject();
    await session(place, async () => {}); // so that there is a store to read
    const { value } = await session(place, (peer) => peer.call('skill_list', {}), { env: { COLIBRI_MODE: mode } });
    expect(dataOf(value.result).skills).toHaveLength(SHIPPED.length);
  });

  it('MINIMAL has neither the tool nor the extension', async () => {
    const peer = serve(freshProject(), { env: { COLIBRI_MODE: 'MINIMAL' } });
    const { result } = await peer.initialize();
    expect(result.capabilities).toEqual({ tools: {} });
    expect((await peer.call('skill_list', {})).result.structuredContent.error.code).toBe('TOOL_NOT_ADMITTED');
    expect((await peer.request('skills/list')).error.code).toBe(-32601);
  });
});

describe.skipIf(process.getuid?.() !== 0)('a process of another user', () => {
  it('reports what it cannot read, and lists the rest', async () => {
    const place = freshProject();
    const skills = join(place.dir, AGENTS);
    const names = ['no-file', 'no-manifest', 'no-folder'];
    for (const name of [...names, 'good']) skill(skills, name, { 'a.txt': '' });
    fs.chmodSync(join(skills, 'no-file', 'a.txt'), 0o600);
    fs.chmodSync(join(skills, 'no-manifest', 'SKILL.md'), 0o600);
    fs.chmodSync(join(skills, 'no-folder'), 0o700);
    fs.chmodSync(place.dir, 0o755);
    for (const dir of [place.home, place.env.TMPDIR ?? '']) fs.chownSync(dir, NOBODY, NOBODY);
    const env = { COLIBRI_MODE: 'TEST' };
    const { value } = await session(place, (peer) => peer.call('skill_list', {}), { env, uid: NOBODY });
    const { skills: listed, problems } = dataOf(value.result);
    expect(listed.map(({ name }: Message) => name)).toEqual([...SHIPPED, 'good']);
    expect(problems).toHaveLength(3);
    for (const { reason } of problems) expect(reason).toMatch(/^skipped: .*no permission$/);
  });
});
