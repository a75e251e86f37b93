// `colibri verify --node`: the logs of one machine are judged as the whole store is, and what others wrote is not read.
import { expect, it } from 'vitest';
import { colibri, copyStore, json, replaceStore } from '../support/command-line.js';
import { freshPlace, type Place } from '../support/serve.js';
import { change, onHost, ping, verdict } from './stores.js';

interface Machine {
  readonly node: string;
  readonly log: string;
}

/** A store that two machines write: this one and `elsewhere`. */
const shared = async (): Promise<{ place: Place; own: Machine; other: Machine }> => {
  const place = freshPlace();
  await ping(place);
  await ping(place, onHost('elsewhere'));
  const { nodes } = json(await colibri(place, ['nodes', '--json'])) as { nodes: (Machine & { own: boolean })[] };
  const [own, other] = [nodes.find((node) => node.own), nodes.find((node) => !node.own)];
  if (own === undefined || other === undefined) throw new Error(JSON.stringify(nodes));
  return { place, own, other };
};

const exits = async (place: Place, ...machines: readonly Machine[]): Promise<number[]> => {
  const all = [];
  for (const { node } of machines) all.push((await verdict(place, ['--node', node])).exit);
  return [...all, (await verdict(place)).exit];
};

/** What somebody does to a log, and what it breaks. */
const CHANGES: readonly (readonly [string, string])[] = [
  ['a record edited', "UPDATE actions SET at = '2020-01-01T00:00:00.000Z' WHERE log_id = ? AND seq = 2"],
  ['a record gone', 'DELETE FROM actions WHERE log_id = ? AND seq = 1'],
  ['a leaf edited', "UPDATE actions SET leaf = replace(leaf, 'a', 'b') WHERE log_id = ? AND seq = 2"],
  ['the frontier edited', "UPDATE logs SET frontier = replace(frontier, 'a', 'b') WHERE log_id = ?"],
  ['a checkpoint gone', 'DELETE FROM checkpoints WHERE log_id = ?'],
  ['arguments edited', "UPDATE payloads SET json = '{}' WHERE log_id = ?"],
];

it.each(CHANGES)('%s: found where it is, and nowhere else', { timeout: 60_000 }, async (_, sql) => {
  const { place, own, other } = await shared();
  expect(await exits(place, own, other)).toEqual([0, 0, 0]);
  change(place, (db) => db.prepare(sql).run(other.log));
  expect(await exits(place, own, other)).toEqual([0, 20, 20]);
});

it('a row of a log that has another size than its records is found in any case', { timeout: 60_000 }, async () => {
  const { place, own, other } = await shared();
  change(place, (db) => db.prepare('UPDATE logs SET size = size - 1 WHERE log_id = ?').run(other.log));
  expect(await exits(place, own, other)).toEqual([20, 20, 20]);
});

it('a log that went back, alone', { timeout: 60_000 }, async () => {
  const { place, own, other } = await shared();
  const older = copyStore(place);
  await ping(place, onHost('elsewhere'));
  replaceStore(place, older);
  expect(await exits(place, own, other)).toEqual([0, 20, 20]);
});

it('says what was not read, and what it cannot do', { timeout: 60_000 }, async () => {
  const { place, own } = await shared();
  const { not_checked, scope, record_count } = await verdict(place, ['--node', own.node]);
  expect(scope).toEqual({ kind: 'node', id: own.node });
  expect(not_checked[0]).toMatch(/^Of the logs of other machines/);
  expect(record_count).toBeLessThan((await verdict(place)).record_count);
  const unknown = await colibri(place, ['verify', '--node', 'nobody/nowhere']);
  expect(unknown).toMatchObject({ code: 30, stdout: expect.stringContaining('`colibri nodes` lists the machines') });
  const odd = await colibri(place, ['verify', '--node', own.node, '--task', 'T-0001']);
  expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining('--node and --task exclude each other') });
  const head = await colibri(place, ['verify', '--node', own.node, '--since', 'x']);
  expect(head).toMatchObject({ code: 1, stderr: expect.stringContaining('--node does not go with --since') });
});
