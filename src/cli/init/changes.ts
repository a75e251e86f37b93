// Carries a plan out: everything is looked at first, then written down, then done. What fails in the middle is taken back.
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { isoClock } from '../../core/clock.js';
import type { HeldState } from '../../files/held-file.js';
import { type Approval, addApprovals, readApprovals } from '../../switchboard/config/approvals.js';
import { assertSecrets, changeSecrets } from '../../switchboard/config/secrets.js';
import { wrong } from '../target.js';
import {
  assertInside,
  assertWritable,
  makeFolders,
  missingFolders,
  readText,
  realFile,
  replaceText,
} from '../text-file.js';
import { digestOf, type InitRun, type Inverse, type Journal, type WrittenFile } from './journal.js';
import { type OwnWay, runOwnWay } from './own-commands.js';
import { takeBack } from './undo.js';

/** One file that is to become another. */
export interface FileChange {
  readonly file: string;
  readonly what: string;
  /** Undefined: there is none yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** Of a new file. */
  readonly mode: number;
  readonly inverse: Inverse;
  /** The client's own commands do it instead of us. */
  readonly own?: OwnWay;
}

export interface Changes {
  readonly project: string | undefined;
  /** In this order: a server is behind the switchboard before it is taken from its client. */
  readonly files: readonly FileChange[];
  readonly approvals: readonly Omit<Approval, 'at'>[];
  readonly secrets: Readonly<Record<string, string>>;
}

/** Where it is done. */
export interface Desk {
  readonly journal: Journal;
  readonly held: HeldState;
}

const assertReady = ({ project, files, secrets }: Changes, held: HeldState): void => {
  if (Object.keys(secrets).length > 0) assertSecrets(held);
  for (const { file, before } of files) {
    assertInside(file, project);
    assertWritable(file);
    if (readText(file, project) !== before)
      throw wrong(`${file} was changed meanwhile.`, 'Nothing was changed; run it again.');
  }
};

const written = ({ file, what, before, after, inverse, own }: FileChange, { journal, held }: Desk): WrittenFile => ({
  file,
  what,
  before: before === undefined ? null : digestOf(before),
  after: own === undefined ? digestOf(after) : null,
  backup: before === undefined ? null : journal.keep(held, before),
  inverse,
});

const foldersFor = (files: readonly FileChange[]): readonly string[] => [
  ...new Set(files.flatMap(({ file }) => missingFolders(dirname(realFile(file))))),
];

const change = async (one: FileChange, held: HeldState): Promise<void> => {
  if (one.own !== undefined && one.inverse.kind === 'servers') {
    return runOwnWay(one.own, { file: one.file, ...one.inverse });
  }
  makeFolders(dirname(realFile(one.file)));
  replaceText(held, one.file, one.after, one.mode);
};

/** What a client's command left is only known now. */
const lookedAt = (run: InitRun, files: readonly FileChange[]): InitRun => ({
  ...run,
  files: run.files.map((file, index) => {
    const text = files[index]?.own === undefined ? undefined : readText(file.file);
    return text === undefined ? file : { ...file, after: digestOf(text) };
  }),
});

/** Approvals and secrets come before the files that need them. */
const carryOutRun = async (run: InitRun, { files, approvals, secrets }: Changes, { held }: Desk): Promise<void> => {
  if (run.secrets.length > 0) changeSecrets(held, (now) => ({ ...now, ...secrets }));
  if (approvals.length > 0) {
    addApprovals(
      held,
      approvals.map((one) => ({ ...one, at: run.at })),
    );
  }
  for (const file of files) await change(file, held);
};

export const carryOut = async (changes: Changes, desk: Desk): Promise<InitRun> => {
  const { journal, held } = desk;
  assertReady(changes, held);
  journal.runs(); // a damaged one is told before anything is written
  const known = new Set(readApprovals(held.dir).map(({ digest }) => digest));
  const run: InitRun = {
    id: randomUUID(),
    at: isoClock()(),
    project: changes.project ?? null,
    files: changes.files.map((file) => written(file, desk)),
    folders: foldersFor(changes.files),
    approvals: changes.approvals.map(({ digest }) => digest).filter((digest) => !known.has(digest)),
    secrets: Object.keys(changes.secrets),
  };
  journal.put(held, run);
  try {
    await carryOutRun(run, changes, desk);
    const done = lookedAt(run, changes.files);
    journal.put(held, done);
    return done;
  } catch (thrown) {
    await takeBack(lookedAt(run, changes.files), desk);
    throw thrown;
  }
};
