// Skills on the wire: what agents get by skill_list and what hosts get by the skills extension are the same.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { casesHere, describe as fastDescribe } from '../support/by-gate.js';
import { type Message, session } from '../support/serve.js';
import { AGENTS, manifest, skill, write } from './folders.js';
import { connectHost, dataOf, digested, freshProject, SHIPPED } from './hosts.js';

describe.each(casesHere(['v2 modern', 'v2 legacy'] as const))('the SDK’s own host, %s', (kind) => {
  it('verifies every file of every skill', async () => {
    const place = freshProject();
    skill(join(place.dir, AGENTS), 'own', { 'a/ü & b.md': 'x', 'data.json': '{}' });
    write(join(place.dir, AGENTS, 'crlf', 'SKILL.md'), manifest('crlf').replaceAll('\n', '\r\n'));
    const host = await connectHost(place, kind);
    const { skills } = host;
    if (skills === undefined) throw new Error('this client has no reader of skills');
    expect(skills.supported).toBe(true);
    const unverified = await skills.list();
    for (const entry of unverified.skills) expect((await skills.read(entry)).verified).toBe(false);
    await digested(host);
    let files = 0;
    for (const { uri } of (await skills.list()).skills) {
      const { skill: entry } = await skills.get(uri);
      if (entry.resources === 'dynamic') throw new Error(`${uri} has no digests`);
      for (const resource of entry.resources) {
        expect((await skills.read(entry, resource.uri)).verified).toBe(true);
        files += 1;
      }
    }
    expect(files).toBe(SHIPPED.length + 4);
    await expect(skills.get('skill://none/SKILL.md')).rejects.toThrow('No skill is served');
  });

  it('has digests at once when it asks for one skill', async () => {
    const place = freshProject();
    const host = await connectHost(place, kind);
    const { skill: entry } = (await host.skills?.get('skill://colibri-tasks/SKILL.md')) ?? {};
    expect(entry?.resources).toHaveLength(1);
  });
});

fastDescribe('skill_list', () => {
  it('searches, filters and pages', async () => {
    const place = freshProject();
    for (let at = 0; at < 120; at += 1) {
      const name = `s-${String(at).padStart(3, '0')}`;
      const lines = at % 2 === 0 ? ['capabilities: [even]'] : [];
      write(join(place.dir, AGENTS, name, 'SKILL.md'), manifest(name, `Skill ${at}. ${'x'.repeat(900)}`, ...lines));
    }
    await session(place, async (peer) => {
      const call = async (args: Message) => dataOf((await peer.call('skill_list', args)).result);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const result = (await peer.call('skill_list', { capability: 'even', ...(cursor && { cursor }) })).result;
        expect(Buffer.byteLength(JSON.stringify(result.structuredContent))).toBeLessThanOrEqual(24 * 1024);
        const page = dataOf(result);
        seen.push(...page.skills.map(({ name }: Message) => name));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(Array.from({ length: 60 }, (_, at) => `s-${String(2 * at).padStart(3, '0')}`));
      expect((await call({ search: 'SKILL 119.' })).skills).toMatchObject([{ name: 's-119', capabilities: null }]);
      expect((await call({ search: 'nothing like it' })).skills).toEqual([]);
      const { next_cursor } = await call({ limit: 1 });
      const other = await peer.call('skill_list', { limit: 1, search: 'x', cursor: next_cursor });
      expect(other.result.structuredContent.error.code).toBe('INVALID_PARAMS');
      for (const bad of [{ limit: 0 }, { search: '' }, { serch: 'x' }, { cursor: 'x' }]) {
        expect((await peer.call('skill_list', bad)).result.structuredContent.error.code).toBe('INVALID_PARAMS');
      }
    });
  });

  it('is recorded like every call, and listed in at most 640 bytes', async () => {
    const place = freshProject();
    await session(place, async (peer) => {
      const { result } = await peer.call('skill_list', {});
      expect(result._meta['dev.colibri/receipt']).toMatchObject({ seq: expect.any(Number) });
      // The first call does not wait for digests.
      expect(dataOf(result).skills.map(({ digest }: Message) => digest)).toEqual([null, null, null]);
      const { tools } = (await peer.request('tools/list')).result;
      const listed = tools.find(({ name }: Message) => name === 'skill_list');
      expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(640);
    });
  });
});
