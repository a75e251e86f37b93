// Which version of a skill was in force when something was decided, and what became of it since.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { freshPlace } from '../support/serve.js';
import { rowsOf, started } from '../support/trail-tools.js';

const skillText = (body: string): string => `---\nname: release\ndescription: How we release here.\n---\n${body}\n`;

test('a thought names the skill it follows, and verify tells when that is another one now', async () => {
  const place = freshPlace();
  const skills = join(place.dir, 'skills');
  const file = join(skills, 'release', 'SKILL.md');
  mkdirSync(join(skills, 'release'), { recursive: true });
  writeFileSync(file, skillText('Tag, build, publish.'));
  const env = { COLIBRI_SKILLS_DIR: skills };
  const { peer, ok, no } = await started(place, 'raw', env);
  const thought = { type: 'decision', content: 'we tag first', skill: 'release' };
  const { thought_id } = await ok('thought_record', thought);
  expect((await no('thought_record', { ...thought, skill: 'relaese' })).message).toMatch(
    /^SKILL_NOT_FOUND: .*skill_list/,
  );
  const { skills: listed } = await ok('skill_list', { search: 'release' });
  const [shown] = (await ok('thought_record_list', { thought_id, proof: true })).thoughts;
  expect(shown.skill).toEqual({ name: 'release', digest: listed[0].digest });
  await ok('thought_record', { type: 'plan', content: 'without a skill' });
  await peer.end();
  expect(rowsOf(place.db, 'SELECT skill_name FROM thoughts ORDER BY rowid').map((row) => row.skill_name)).toEqual([
    'release',
    null,
  ]);

  const remarks = async () => {
    const ran = await colibri(place, ['verify', '--json'], { env });
    expect(ran.code, ran.stdout).toBe(0);
    return json(ran).remarks.join('\n');
  };
  expect(await remarks()).not.toContain('release');
  writeFileSync(file, skillText('Tag, build, test, publish.'));
  expect(await remarks()).toMatch(/1 thought followed skill release as sha256:\S+, which is sha256:\S+ on disk now/);
  rmSync(join(skills, 'release'), { recursive: true });
  expect(await remarks()).toMatch(/which is no longer here/);
});
