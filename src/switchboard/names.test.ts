import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NamedServer, publicNames, routeNames } from './names.js';

const server = (name: string, tools: readonly string[], prefix = true): NamedServer => ({ name, prefix, tools });
const OWN = ['task_create', 'server_ping'];
const named = (...servers: NamedServer[]) => publicNames(servers, OWN).list.map(({ name }) => name);
const notes = (...servers: NamedServer[]) =>
  publicNames(servers, OWN).notes.map(({ tool, name, why }) => `${tool} → ${name}: ${why}`);

it('server__tool, servers in order, names sorted', () => {
  expect(named(server('web', ['search', 'fetch']), server('a', ['x']))).toEqual(['web__fetch', 'web__search', 'a__x']);
  expect(notes(server('web', ['search']))).toEqual([]);
});

it('characters outside [A-Za-z0-9_-] become _, and the name gets a hash', () => {
  const [name = ''] = named(server('my.server', ['do it 🐦']));
  expect(name).toMatch(/^my_server__do_it___[0-9a-f]{6}$/);
  expect(notes(server('my.server', ['do it 🐦']))).toEqual([`do it 🐦 → ${name}: changed`]);
});

it('46 characters fit, 47 are cut and get a hash', () => {
  expect(named(server('s', ['t'.repeat(43)]))).toEqual([`s__${'t'.repeat(43)}`]);
  const [name = ''] = named(server('s', ['t'.repeat(44)]));
  expect(name).toMatch(/^s__t{36}_[0-9a-f]{6}$/);
  expect(name).toHaveLength(46);
});

it('names that collide: the first in order keeps it, the other gets a hash', () => {
  const all = publicNames([server('a', ['b__c']), server('a__b', ['c'])], []);
  expect(all.list.map(({ name }) => name)).toEqual(['a__b__c', expect.stringMatching(/^a__b__c_[0-9a-f]{6}$/)]);
  expect(all.byName.get('a__b__c')).toMatchObject({ server: 'a', tool: 'b__c' });
  expect(all.notes.map(({ server: loser, why }) => [loser, why])).toEqual([['a__b', 'taken']]);
});

describe('prefix: false', () => {
  it('keeps the tool name where it is free', () => {
    expect(named(server('web', ['search'], false))).toEqual(['search']);
  });

  it('ours first, then configuration order; the loser is prefixed and named on the board', () => {
    const servers = [server('a', ['x', 'task_create'], false), server('b', ['x'], false)];
    expect(named(...servers)).toEqual(['a__task_create', 'x', 'b__x']);
    expect(notes(...servers)).toEqual(['task_create → a__task_create: prefixed', 'x → b__x: prefixed']);
  });

  it('a name that must be changed gets a hash, without a prefix', () => {
    expect(named(server('web', ['a.b'], false))[0]).toMatch(/^a_b_[0-9a-f]{6}$/);
  });
});

it('a tool listed twice is there once; beyond 1,000 they are left out and named', () => {
  expect(notes(server('a', ['x', 'x']))).toEqual(['x → null: repeated']);
  const many = Array.from({ length: 1_002 }, (_, index) => `t${String(index).padStart(4, '0')}`);
  expect(named(server('a', many))).toHaveLength(1_000);
  expect(notes(server('a', many))).toEqual(['t1000 → null: too many tools', 't1001 → null: too many tools']);
});

describe('whatever the servers are called', () => {
  const word = fc.oneof(
    fc.constantFrom('a', 'b', 'a__b', 'b__c', 'task_create', 'a_b', 'a.b', 'A', '__proto__', 'constructor'),
    fc.string({ maxLength: 60, unit: 'binary' }),
    fc.string({ minLength: 40, maxLength: 50, unit: fc.constantFrom('x', 'y') }),
  );
  const serversArbitrary = fc.uniqueArray(
    fc.record({ name: word, prefix: fc.boolean(), tools: fc.array(word, { maxLength: 12 }) }),
    { maxLength: 6, selector: ({ name }) => name },
  );

  it('names are unique, legal, short, never ours, and lead back to their tool', () => {
    fc.assert(
      fc.property(serversArbitrary, (servers) => {
        const { list, byName } = publicNames(servers, OWN);
        expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
        for (const one of list) {
          expect(one.name).toMatch(/^[A-Za-z0-9_-]{1,46}$/);
          expect(OWN).not.toContain(one.name);
          expect(byName.get(one.name)).toBe(one);
        }
        const pairs = servers.flatMap(({ name, tools }) =>
          [...new Set(tools)].map((tool) => JSON.stringify([name, tool])),
        );
        expect(list.map(({ server: of, tool }) => JSON.stringify([of, tool])).toSorted()).toEqual(pairs.toSorted());
      }),
      { numRuns: 500 },
    );
  });

  it('the order in which tools are listed changes nothing', () => {
    fc.assert(
      fc.property(serversArbitrary, (servers) => {
        const turned = servers.map((one) => ({ ...one, tools: one.tools.toReversed() }));
        expect(publicNames(turned, OWN).list).toEqual(publicNames(servers, OWN).list);
      }),
    );
  });

  it('a server added at the end renames no tool of the others', () => {
    fc.assert(
      fc.property(serversArbitrary, (servers) => {
        const before = publicNames(servers.slice(0, -1), OWN).list;
        expect(publicNames(servers, OWN).list.slice(0, before.length)).toEqual(before);
      }),
    );
  });
});

describe('routes', () => {
  const of = (...routes: string[]) => [...routeNames(routes, OWN)].map(([, { name, why }]) => [name, why]);

  it('a colon becomes two underscores', () => {
    expect(of('search:internet', 'plain', 'a:b:c')).toEqual([
      ['search__internet', undefined],
      ['plain', undefined],
      ['a__b__c', undefined],
    ]);
  });

  it('ours and earlier ones keep theirs, long ones are cut; both get a hash', () => {
    const [ours, first, second, long] = of('task_create', 'a:b', 'a__b', `x:${'y'.repeat(62)}`);
    expect(ours).toEqual([expect.stringMatching(/^task_create_[0-9a-f]{6}$/), 'taken']);
    expect(first).toEqual(['a__b', undefined]);
    expect(second).toEqual([expect.stringMatching(/^a__b_[0-9a-f]{6}$/), 'taken']);
    expect(long).toEqual([expect.stringMatching(/^x__y{36}_[0-9a-f]{6}$/), 'cut']);
  });

  it('are all different, fit, and stay what they are when one is added at the end', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_:-]{1,64}$/);
    const some = fc.uniqueArray(fc.oneof(name, fc.constantFrom('a:b', 'a__b', 'task_create')), { maxLength: 8 });
    fc.assert(
      fc.property(some, (routes) => {
        const all = [...routeNames(routes, OWN)].map(([, one]) => one.name);
        expect(new Set([...all, ...OWN]).size).toBe(all.length + OWN.length);
        for (const one of all) expect(one).toMatch(/^[A-Za-z0-9_-]{1,46}$/);
        const fewer = [...routeNames(routes.slice(0, -1), OWN)].map(([, one]) => one.name);
        expect(all.slice(0, -1)).toEqual(fewer);
      }),
    );
  });
});
