// `colibri restore`: shows where a store contradicts its signed heads; with a backup, puts that in the store's place and records the loss as
// accepted in the same step.
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { workingDirectory } from '../../config.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count, figure } from '../../core/figures.js';
import { ColibriError, quietly } from '../../errors.js';
import { goneFrom } from '../../ledger/binding.js';
import { verifyStore } from '../../verify/verify.js';
import { assertMayWrite, isThere, readingStore } from '../access.js';
import { checkedReason, confirmed } from '../confirm.js';
import { findStore, namedStore, type PlaceOptions, type StoreAt, storeAt } from '../place.js';
import { recordTime } from '../records/log-repository.js';
import { allLogs } from '../records/record-repository.js';
import { storeCommand } from '../run.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { wrong } from '../target.js';
import { type CopyHeads, headsOfCopy } from '../verify/copy.js';
import { assertUnused, putInPlace } from './replace.js';
import { acceptAll, acceptedText, explainUndecided, findUndecided, isDecided, undecidedJson } from './undecided.js';

const AFTER = `
Without a backup it shows what is missing in a store that went back, lacks a
log, is a copy, or was deleted and begun anew, and names the backups beside it.

With a backup it checks the backup, says what would be lost, asks, copies the
present files aside, puts the backup in their place, and records what is lost
as accepted. No Colibri may use the store meanwhile. If it is interrupted, the
present files are still there, at their place or in the folder that it names.

  colibri restore                shows what is missing; changes nothing
  colibri restore backup-20261115T183000123Z.db
                                 asks first; --yes does not ask
  colibri restore /mnt/usb/colibri.db --reason "the disk failed"

To go on with the store as it is: colibri accept-loss "<reason>".
Exit codes: 0 nothing is missing, or restored; 10 something is to be decided;
1 not restored, and nothing was changed; 130 interrupted at the question.`;

const EXIT_UNDECIDED = 10;

interface RestoreOptions extends PlaceOptions {
  readonly reason?: string;
  readonly yes?: true;
  readonly otherStore?: true;
}

/** A log as it is now, as signed heads outside the store know it, and as the backup has it. */
interface ComparedLog {
  readonly log: string;
  readonly backup: number;
  /** How many records the present store has; null if it cannot be read or lacks the log. */
  readonly present: number | null;
  /** How many records were signed. */
  readonly signed: number;
  readonly lost: number;
}

interface Plan {
  readonly backup: StoreAt;
  /** The time of the backup's newest record. */
  readonly until: string | null;
  readonly logs: readonly ComparedLog[];
  /** Why the present store cannot be read; null if it can, or if there is none. */
  readonly unreadable: string | null;
  /** True if a store is or was here, and the backup has none of its logs: it is of another project or another machine. */
  readonly isOther: boolean;
}

const sizesIn = (at: StoreAt) =>
  readingStore(at, (store) =>
    store.read(async (tx) => {
      const logs = await allLogs(tx);
      const times = await Promise.all(logs.map(({ base, size }) => recordTime(tx, base + size - 1)));
      const until =
        times
          .filter((time) => time !== undefined)
          .sort()
          .at(-1) ?? null;
      return { sizes: new Map(logs.map(({ log_id, size }) => [log_id, size])), until };
    }),
  );

/** Verifies the backup against the heads that are not newer than it; throws if it contradicts itself or them. */
const assertSound = async (backup: StoreAt, { heads }: CopyHeads): Promise<void> => {
  const progress = progressOn(process.stderr, 'verifying');
  const { keysDir, keyFile, path } = backup;
  const verdict = await verifyStore({
    path,
    scope: { kind: 'store' },
    keptHeads: heads,
    keys: { dir: keysDir, ...(keyFile !== undefined && { file: keyFile }) },
    onProgress: progress.update,
  }).finally(() => progress.end());
  if (verdict.valid) return;
  const [first] = verdict.findings;
  throw new ColibriError('STORE_CORRUPT', `The backup does not verify (${verdict.exit}): ${first?.message ?? ''}`, {
    remedy: `Nothing was changed. colibri verify --db ${plain(path)} --copy says more; take another backup.`,
  });
};

const planOf = async (at: StoreAt, file: string): Promise<Plan> => {
  const backup = storeAt(at.config, namedStore(resolve(workingDirectory(), file)));
  if (!isThere(backup.path))
    throw wrong(`There is no backup ${plain(backup.path)}.`, '`colibri restore` lists the backups beside the store.');
  if (backup.site?.path !== undefined && backup.site.path === at.site?.path)
    throw wrong(`${file} is the store itself.`, 'Name a backup: `colibri restore` lists those beside the store.');
  const copyHeads = await headsOfCopy(backup);
  await assertSound(backup, copyHeads);
  const { sizes, until } = await sizesIn(backup);
  const found = isThere(at.path) ? await sizesIn(at).catch((thrown: unknown) => String(thrown)) : undefined;
  const present = typeof found === 'object' ? found.sizes : new Map<string, number>();
  const logs = [...new Set([...sizes.keys(), ...present.keys()])].map((log) => {
    const [has, now] = [sizes.get(log) ?? 0, present.get(log) ?? null];
    const signed = copyHeads.newer.find((one) => one.log === log)?.signed ?? 0;
    return { log, backup: has, present: now, signed, lost: Math.max(0, Math.max(now ?? 0, signed) - has) };
  });
  const before = quietly(() => goneFrom(at.heads, at.site).before) ?? [];
  const here = [...present.keys(), ...before.map(({ log }) => log)];
  const isOther = here.length > 0 && here.every((log) => !sizes.has(log));
  return { backup, until, logs, unreadable: typeof found === 'string' ? found : null, isOther };
};

const OTHER = 'The backup is of another store: it has no log of the store that is or was here.';

/** Refuses a backup of another store unless a person sees the question or named it: a wrong path is typed quickly. */
const assertMeant = ({ isOther }: Plan, { yes, otherStore }: RestoreOptions): void => {
  if (!isOther || yes !== true || otherStore === true) return;
  throw wrong(OTHER, 'Nothing was changed. If that is meant, add --other-store.');
};

const lostIn = ({ logs }: Plan): number => logs.reduce((sum, { lost }) => sum + lost, 0);

const planLines = ({ backup, until, logs, unreadable, isOther }: Plan, at: StoreAt): string[] => [
  `store   ${at.path}`,
  `backup  ${backup.path}`,
  `        verified; its newest record is of ${until ?? 'an unknown time'}`,
  ...(isOther ? [OTHER] : []),
  ...(unreadable === null ? [] : [`        the present store cannot be read: ${unreadable}`]),
  ...logs.map(({ log, backup: has, lost }) =>
    lost === 0
      ? `log     ${log}: ${figure(has)} records, nothing is lost`
      : `log     ${log}: ${figure(has)} records; ${count(lost, 'record')} since then would be lost`,
  ),
];

const restoreBackup = async (at: StoreAt, file: string, options: RestoreOptions): Promise<number> => {
  assertMayWrite(at);
  if (at.engine !== 'sqlite')
    throw wrong('The store is on PostgreSQL, and this command restores SQLite files.', 'Use pg_restore.');
  const reason = checkedReason(options.reason ?? `the backup ${basename(file)} was put in place`);
  await assertUnused(at.path);
  const plan = await planOf(at, file);
  assertMeant(plan, options);
  if (options.yes !== true) {
    for (const line of planLines(plan, at)) tell(plain(line));
    const question = 'Put the backup in the place of the store, and accept for good what is lost?';
    if (!(await confirmed(question))) {
      tell('Nothing was restored.');
      return EXIT_FAILED;
    }
  }
  await assertUnused(at.path);
  const aside = await putInPlace(at.path, plan.backup.path);
  const restored = storeAt(at.config, { kind: 'sqlite', path: at.path, rule: at.rule });
  const steps = isDecided(await findUndecided(restored)) ? [] : await acceptAll(restored, reason);
  const { logs } = plan;
  if (options.json)
    sayJson({
      restored: true,
      store: at.path,
      backup: plan.backup.path,
      moved_to: aside ?? null,
      logs,
      lost: lostIn(plan),
      steps,
    });
  else {
    say(`Restored: ${plain(at.path)} is the backup now.`);
    if (aside !== undefined) say(`The files that were there before are in\n${plain(aside)}`);
    for (const step of steps) say(acceptedText(step));
    if (steps.length === 0) say('Nothing that was signed is lost.');
    say('colibri verify says how the store stands.');
  }
  return 0;
};

const advise = (backups: readonly string[]): void => {
  say();
  if (backups.length > 0) say('Backups beside the store, newest first:');
  for (const backup of backups) say(`  colibri restore '${plain(backup)}'`);
  say(
    backups.length > 0
      ? 'Or, if none has more, accept the store as it is:'
      : 'Put the store back that has these records, if there is one. If not, accept the store as it is:',
  );
  say('  colibri accept-loss "<reason>"');
};

const show = async (at: StoreAt, { json }: RestoreOptions): Promise<number> => {
  const backups = quietly(() => at.site?.backups() ?? []) ?? [];
  if (!isThere(at.path) && backups.length > 0) {
    if (json) sayJson({ rolled_back: false, store: null, backups });
    else {
      say(`There is no store at ${plain(at.path)}. Backups beside it, newest first:`);
      for (const backup of backups) say(`  colibri restore '${plain(backup)}'`);
    }
    return EXIT_UNDECIDED;
  }
  const undecided = await findUndecided(at);
  if (json) sayJson(undecidedJson(undecided));
  else if (isDecided(undecided)) say('The store has everything that was signed: there is nothing to accept.');
  else {
    explainUndecided(undecided, at, say);
    advise(backups);
  }
  return isDecided(undecided) ? 0 : EXIT_UNDECIDED;
};

const restore = (backup: string | undefined, options: RestoreOptions): Promise<number> => {
  const at = findStore(options);
  if (backup !== undefined) return restoreBackup(at, backup, options);
  if (options.reason !== undefined || options.yes)
    throw wrong(
      'No backup is named.',
      'Name one: colibri restore <backup>. To accept the store as it is: colibri accept-loss "<reason>".',
    );
  return show(at, options);
};

export const restoreCommand = (): Command =>
  storeCommand('restore', 'put a backup in place; without one, show what is missing', AFTER, restore)
    .argument('[backup]', 'a backup that `colibri backup` made')
    .option('--reason <text>', 'why; it is recorded if anything is lost')
    .option('--other-store', 'with --yes: also a backup of another project or machine')
    .option('--yes', 'do not ask');
