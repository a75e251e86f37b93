import { expect, test } from 'vitest';
import { OWN_STORE_ID, pathId } from '../core/project-id.js';
import { decideIdentity, type IdentityFacts, identityRoot } from './identity.js';
import type { KnownProject } from './known-projects.js';
import type { Folders } from './project.js';

const ID = '5f'.repeat(16);
const OTHER = 'a1'.repeat(16);
const ROOT = '/a/shop';

const known = (id: string, path: string): KnownProject => ({ id, path, at: 'then' });
const facts = (more: Partial<IdentityFacts> = {}): IdentityFacts => ({
  root: ROOT,
  name: 'shop',
  declared: { kind: 'id', id: ID },
  known: [],
  ownStore: false,
  ...more,
});
const none = { kind: 'none' } as const;

test.each<[string, Partial<IdentityFacts>, string, string | undefined]>([
  ['a new id counts', {}, ID, undefined],
  ['an id that is paired with this path counts', { known: [known(ID, ROOT), known(ID, '/b')] }, ID, undefined],
  ['an id that is known elsewhere waits', { known: [known(ID, '/b')] }, pathId(ROOT), ID],
  ['so it does where the other folder is gone', { known: [known(ID, '/gone')] }, pathId(ROOT), ID],
  ['so it does with a store of its own', { known: [known(ID, '/b')], ownStore: true }, pathId(ROOT), ID],
  ['another id than before waits, and the one before stays', { known: [known(OTHER, ROOT)] }, OTHER, ID],
  ['without a file the path counts', { declared: none }, pathId(ROOT), undefined],
  ['or the folder that the store lies in', { declared: none, ownStore: true }, OWN_STORE_ID, undefined],
  ['or what was paired with it', { declared: none, known: [known(OTHER, ROOT)] }, OTHER, undefined],
  ['a file that cannot be used is no file', { declared: { kind: 'unusable', why: 'x' } }, pathId(ROOT), undefined],
  ['with a damaged table no id of a file counts', { known: undefined }, pathId(ROOT), undefined],
])('%s', (_, more, id, waiting) => {
  const found = decideIdentity(facts(more));
  expect(found.id).toBe(id);
  expect(found.waiting?.id).toBe(waiting);
  if (waiting !== undefined) expect(found.note?.remedy).toContain('colibri init --join');
});

test.each<[string, Partial<IdentityFacts>, readonly string[]]>([
  ['an id takes over what the path had, and what had only the name', {}, [pathId(ROOT), '=shop']],
  [
    'the name is not taken where another project has it',
    { known: [known(ID, ROOT), known(OTHER, '/b/shop')] },
    [pathId(ROOT)],
  ],
  ['nor by one that waits', { known: [known(ID, '/b/other')] }, []],
  [
    'a store of its own holds nobody else\u2019s',
    { known: [known(ID, ROOT), known(OTHER, '/b/shop')], ownStore: true },
    [OWN_STORE_ID, pathId(ROOT), '=shop'],
  ],
  [
    'a person\u2019s yes takes the name',
    { declared: none, known: [{ ...known(pathId(ROOT), ROOT), takesNamed: true }, known(OTHER, '/b/shop')] },
    ['=shop'],
  ],
])('%s', (_, more, takes) => {
  expect(decideIdentity(facts(more)).takes).toEqual(takes);
});

/** `/w` is a worktree of `/r.git`, as git lays it out. */
const disk = (files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): Folders => ({
  isDirectory: () => false,
  isFile: (path) => path in files,
  readFile: (path) => files[path],
  realpath: (path) => links[path] ?? path,
  isStrangers: () => false,
});
const LAYOUT = {
  '/w/.git': 'gitdir: /r.git/worktrees/w\n',
  '/r.git/worktrees/w/commondir': '../..\n',
  '/r.git/worktrees/w/gitdir': '/w/.git\n',
};

test('worktrees are known by the repository they share, if it names them', () => {
  expect(identityRoot('/w', disk(LAYOUT))).toBe('/r.git');
  expect(identityRoot('/x', disk(LAYOUT))).toBe('/x');
  expect(identityRoot('/x', disk({ ...LAYOUT, '/x/.git': LAYOUT['/w/.git'] }))).toBe('/x');
  const forged = {
    '/x/.git': 'gitdir: /x/fake/worktrees/x\n',
    '/x/fake/worktrees/x/commondir': '/r.git\n',
    '/x/fake/worktrees/x/gitdir': '/x/.git\n',
  };
  expect(identityRoot('/x', disk({ ...LAYOUT, ...forged }))).toBe('/x');
  expect(identityRoot('/w', disk({ ...LAYOUT, '/r.git/worktrees/w/gitdir': '' }))).toBe('/w');
  expect(identityRoot('/m', disk({ '/m/.git': 'gitdir: /s/.git/modules/m\n' }))).toBe('/m');
});
