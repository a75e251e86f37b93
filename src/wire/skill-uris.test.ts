import * as sdk from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, it } from 'vitest';
import { SKILL_LIMITS } from '../domains/skills/limits.js';
import { mimeTypeOf, skillContent, skillPage, skillPlaceOf, uriOf } from './skill-uris.js';
import { SKILLS_EXTENSION_ID, SKILLS_GET_METHOD, SKILLS_LIST_METHOD } from './skills.js';

it('the constants are the SDK’s', () => {
  expect({ SKILLS_EXTENSION_ID, SKILLS_GET_METHOD, SKILLS_LIST_METHOD }).toEqual({
    SKILLS_EXTENSION_ID: sdk.SKILLS_EXTENSION_ID,
    SKILLS_GET_METHOD: sdk.SKILLS_GET_METHOD,
    SKILLS_LIST_METHOD: sdk.SKILLS_LIST_METHOD,
  });
  expect({ files: SKILL_LIMITS.skillFiles, bytes: SKILL_LIMITS.skillBytes }).toEqual(sdk.SKILL_LIMITS);
});

describe('skill:// URIs', () => {
  const paths = ['SKILL.md', 'a b/c#d?.md', '100%.txt', 'ü/😀', "it's (1)!*~", 'a&b=c+d,e;f:g@h[i]|j'];

  it.each(paths)('go there and back: %s', (path) => {
    const uri = uriOf('a-b', path);
    expect(skillPlaceOf(uri)).toEqual({ name: 'a-b', path });
    expect(new URL(uri).href).toBe(uri);
  });

  it('ignore a fragment', () => {
    expect(skillPlaceOf('skill://a/SKILL.md#x')).toEqual({ name: 'a', path: 'SKILL.md' });
  });

  it.each(['file:///etc/passwd', 'SKILL.md', '', 'skill://a/%ff'])('are nothing else: %s', (uri) => {
    expect(skillPlaceOf(uri)).toBeUndefined();
  });
});

describe('contents', () => {
  it('are text where that loses nothing', () => {
    expect(skillContent(Buffer.from('\ufeffä\r\n'))).toEqual({ text: '\ufeffä\r\n' });
    expect(skillContent(Buffer.from([0xff, 0xfe]))).toEqual({ blob: '//4=' });
    expect(skillContent(Buffer.from('a\u0001'))).toEqual({ blob: 'YQE=' });
  });

  it('have a type by their name', () => {
    expect(['a.md', 'b/c.PNG', 'x', 'a.constructor'].map(mimeTypeOf)).toEqual([
      'text/markdown',
      'image/png',
      'application/octet-stream',
      'application/octet-stream',
    ]);
  });
});

describe('pages', () => {
  const skills = Array.from({ length: 30 }, (_, at) => ({ name: `s${String(at).padStart(2, '0')}` }));
  const large = ({ name }: { name: string }) => ({ name, text: 'x'.repeat(100_000) });

  it('follow each other without a gap', () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = skillPage(skills, cursor, large);
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(skills.map(({ name }) => name));
  });

  it('refuse a cursor that is none', () => {
    expect(() => skillPage(skills, 'x', large)).toThrow('Invalid cursor');
  });
});
