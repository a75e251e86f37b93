// What must be true of a store after any death, once a next process has started: whatever was acknowledged is there, nothing happened without an
// intent, every intent has one outcome, verify has no alarm, and no journal is left.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifyStore } from '../../src/verify/verify.js';
import { Ledger, type Receipt } from '../support/ledger-check.js';
import { type Place, session } from '../support/serve.js';
import { falseAlarms } from '../support/stated-causes.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { thisMachineOf } from '../support/two-machines.js';

/** The tool of a server that writes a line with its arguments, as its effect, before it answers. */
export const PROXIED = 'counts__echo';

export const effectsFile = ({ dir }: Place): string => join(dir, 'effects.log');

/** Puts that server behind Colibri. */
export const withEffects = (place: Place): void =>
  void writeBoard(place, { counts: fakeServer('counts', { LOG: effectsFile(place) }) });

/** The argument `key` of every call that has had an effect, in order. */
export const effectsIn = (place: Place): string[] =>
  fs.existsSync(effectsFile(place))
    ? fs
        .readFileSync(effectsFile(place), 'utf8')
        .split('\n')
        .flatMap((line) => /effect (\{.*)/.exec(line)?.[1] ?? [])
        .map((json) => String((JSON.parse(json) as { key?: unknown }).key))
    : [];

export const journalsOf = ({ db }: Place): string[] =>
  fs.existsSync(`${db}.journal`) ? fs.readdirSync(`${db}.journal`) : [];

/** What verify says and should not say. */
export const alarmsIn = async (place: Place, receipts: readonly Receipt[] = []): Promise<string[]> => {
  const { host, keysDir, headsDir } = thisMachineOf(place);
  const choice = { path: place.db, scope: { kind: 'store' }, workers: 0 } as const;
  const verdict = await verifyStore({ ...choice, headsDir, host, keys: { dir: keysDir }, receipts });
  return falseAlarms(place.db, { keysDir, headsDir }, verdict);
};

/** The argument `key` of a recorded call. */
export const keyOf = (json: string | null | undefined): string =>
  String((JSON.parse(json ?? '{}') as { key?: unknown }).key);

/** Starts the next process, and checks what it and the dead ones leave. */
export const expectSound = async (place: Place, receipts: readonly Receipt[]): Promise<Ledger> => {
  expect(await alarmsIn(place, receipts)).toEqual([]);
  await session(place, async () => {});
  const ledger = new Ledger(place.db);
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
  expect(ledger.pairs.filter(({ exit }) => exit === undefined)).toEqual([]);
  const calls = ledger.pairs.map(({ enter }) => enter.body.call as string);
  expect(calls).toHaveLength(new Set(calls).size);
  const intents = new Set(
    ledger.pairs.filter(({ enter }) => enter.body.tool === PROXIED).map(({ enter }) => keyOf(enter.payload?.json)),
  );
  expect(effectsIn(place).filter((key) => !intents.has(key))).toEqual([]);
  expect(await alarmsIn(place, receipts)).toEqual([]);
  expect(journalsOf(place)).toEqual([]);
  return ledger;
};
