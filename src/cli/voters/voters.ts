// `colibri voters`: who may vote on calls that several must allow. A person enrols each voter on a terminal; the voter's process gets a key file.
import { rmSync } from 'node:fs';
import { Command } from 'commander';
import {
  enrolVoter,
  isEnrolled,
  listVoters,
  revokeVoter,
  type VoterBooks,
  type VoterRow,
  voterByName,
} from '../../consensus/voter-repository.js';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { ownLogOf } from '../../ledger/own-log.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import { asName } from '../../redact/redact.js';
import { makeVoterKey, readVoterKey, voterKeyFile } from '../../start/voter-key.js';
import type { Tx } from '../../store/store.js';
import { assertMayWrite, isThere, ownLog, readingOnce, readingStore, writingStore } from '../access.js';
import { typedBack } from '../approvals/digits.js';
import { assertNotBelowClient } from '../approvals/person.js';
import { noSuch } from '../mistake.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { storeCommand } from '../run.js';
import { plain, say, sayAnswer, sayJson, tell } from '../screen/print.js';
import { wrong } from '../target.js';

const AFTER = `
Where a server of the switchboard file has
"ask": {"quorum": {"of": [...], "need": 2}}, its calls need the votes of
enrolled voters. See docs/approvals.md.

  colibri voters add ada       asks on this terminal; makes a key file for ada
  colibri voters list          who is enrolled, and since when
  colibri voters rm ada        ada may not vote any more; her earlier votes stay

The process that votes as ada gets COLIBRI_VOTER_KEY=<her key file>. Adding and
removing are refused without a terminal, from a pipe, and where a client of a
running Colibri stands above the command.

Exit codes: 0 done, 1 nothing was changed.`;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

const checkedVoter = (name: string): string => {
  if (NAME.test(name) && name.length <= PROOF_LIMITS.nameChars) return name;
  throw wrong(
    `${JSON.stringify(name)} is not a name of a voter.`,
    'Use letters, digits, and the signs _ . - after a letter or a digit.',
  );
};

const keyFileOf = ({ config }: StoreAt, name: string): string => voterKeyFile(config.directories.state, name);

const known = (at: StoreAt, name: string): Promise<VoterRow | undefined> =>
  readingOnce(at, (tx) => voterByName(tx, name));

const notTyped = (): number => {
  tell('The digits were not typed; nothing was changed.');
  return EXIT_FAILED;
};

/** Makes sure that a person asks for this, at a terminal. */
const asked = async (at: StoreAt, lines: readonly string[], question: string): Promise<boolean> => {
  assertMayWrite(at);
  await readingStore(at, (store) => assertNotBelowClient(store, at, { what: 'say who may vote' }));
  return typedBack(lines, question);
};

const recorded = <T>(at: StoreAt, act: (tx: Tx, books: VoterBooks) => Promise<T>): Promise<T> =>
  writingStore(at, (store) =>
    store.write(async (tx) => act(tx, { log: ownLogOf(at.keys, await ownLog(tx, at)), at: isoClock()() }), {
      sync: true,
    }),
  );

const voterJson = (at: StoreAt, row: VoterRow) => ({
  name: row.name,
  state: isEnrolled(row) ? ('enrolled' as const) : ('revoked' as const),
  public_key: row.public_key,
  enrolled_at: row.enrolled_at,
  enrolled_by: row.enrolled_by,
  revoked_at: row.revoked_at,
  revoked_by: row.revoked_by,
  key_file: isThere(keyFileOf(at, row.name)) ? keyFileOf(at, row.name) : null,
});

const add = async (name: string, options: PlaceOptions): Promise<number> => {
  checkedVoter(name);
  const at = findStore(options);
  const path = keyFileOf(at, name);
  if (isEnrolled(await known(at, name)))
    throw wrong(`${name} is enrolled already.`, '`colibri voters list` shows who is.');
  if (isThere(path))
    throw wrong(`There is a key file of ${name} already: ${path}.`, 'Move it away, or enrol another name.');
  const about = [`${name} will be able to vote on calls that need several voters.`, `Key file: ${path}`];
  if (!(await asked(at, about, `Enrol ${name}?`))) return notTyped();
  const publicKey = makeVoterKey(path);
  let row: VoterRow | undefined;
  try {
    row = await recorded(at, (tx, books) => enrolVoter(tx, books, { name, publicKey, by: asName(at.user) }));
  } finally {
    if (row === undefined) rmSync(path, { force: true });
  }
  if (row === undefined) throw wrong(`${name} was enrolled meanwhile.`, 'Nothing was changed.');
  if (options.json) sayJson(voterJson(at, row));
  else {
    say(`Enrolled: ${name}. The process that votes as ${name} needs this in its environment:`);
    say(`  COLIBRI_VOTER_KEY=${plain(path)}`);
  }
  return 0;
};

const listed = (row: VoterRow): string => {
  const { name, enrolled_at, enrolled_by, revoked_at, revoked_by } = row;
  const end = isEnrolled(row) ? '' : `, revoked ${revoked_at} by ${revoked_by}`;
  return plain(`${name}  enrolled ${enrolled_at} by ${enrolled_by}${end}`);
};

const list = async (options: PlaceOptions): Promise<number> => {
  const at = findStore(options);
  const rows = await readingOnce(at, listVoters);
  sayAnswer(options.json, { voters: rows.map((row) => voterJson(at, row)) }, () =>
    rows.length === 0 ? ['Nobody is enrolled.'] : rows.map(listed),
  );
  return 0;
};

/** Removes the key file of a voter, if it is that of the revoked key. */
const dropKey = (path: string, publicKey: string): void => {
  const key = isThere(path) ? readVoterKey(path) : undefined;
  if (key !== undefined && 'publicKey' in key && key.publicKey === publicKey) rmSync(path, { force: true });
};

const remove = async (name: string, options: PlaceOptions): Promise<number> => {
  const at = findStore(options);
  const before = await known(at, name);
  if (!isEnrolled(before)) throw wrong(`No voter ${name} is enrolled.`, '`colibri voters list` shows who is.');
  const about = [`${name} will not be able to vote any more. A quorum that names ${name} becomes an error.`];
  if (!(await asked(at, about, `Revoke ${name}?`))) return notTyped();
  const row = await recorded(at, (tx, books) => revokeVoter(tx, books, { name, by: asName(at.user) }));
  if (row === undefined) throw wrong(`${name} was revoked meanwhile.`, 'Nothing was changed.');
  dropKey(keyFileOf(at, name), row.public_key);
  if (options.json) sayJson(voterJson(at, row));
  else say(`Revoked: ${name}.`);
  return 0;
};

export const votersCommand = (): Command => {
  const command = new Command('voters')
    .description('who may vote on calls that several must allow')
    .enablePositionalOptions() // otherwise options after the subcommand would be taken for options of `voters`
    .addHelpText('after', AFTER)
    .allowExcessArguments()
    .action(() => {
      const [name] = command.args;
      const names = command.commands.map((one) => one.name());
      if (name === undefined) command.help();
      else command.error(noSuch(name, names));
    });
  return command
    .addCommand(storeCommand('add', 'enrol a voter, and make its key file', '', add).argument('<name>', 'its name'))
    .addCommand(storeCommand('list', 'who is enrolled', '', list))
    .addCommand(storeCommand('rm', 'revoke a voter', '', remove).argument('<name>', 'its name'));
};
