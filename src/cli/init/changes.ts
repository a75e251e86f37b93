// Carries out the changes that init planned: checks all of them, records them in the journal, then writes the files. After a failure
// the run is undone.
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { isoClock } from '../../core/clock.js';
import { asError } from '../../errors.js';
import type { HeldState } from '../../files/held-file.js';
import { isInside } from '../../files/untrusted-file.js';
import { type Approval, addApprovals, readApprovals } from '../../switchboard/config/approvals.js';
import { assertSecrets, changeSecrets } from '../../switchboard/config/secrets.js';
import { keepTried, type TriedTools, triedFileName } from '../../switchboard/config/tried-tools.js';
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
import { type ClientCommandRun, runClientCommands } from './client-files.js';
import { digestOf, type InitRun, type Inverse, Journal, type WrittenFile } from './journal.js';
import { undoRun } from './undo.js';

export interface FileChange {
  readonly file: string;
  readonly what: string;
  /** The text before the change; undefined if there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** The permissions that the file gets if it is new. */
  readonly mode: number;
  readonly inverse: Inverse;
  /** The client's own commands that make the change, instead of Colibri writing the file. */
  readonly own?: ClientCommandRun;
}

export interface Changes {
  readonly project: string | undefined;
  /** The files in the order of writing: a server is added to the switchboard before it is removed from its client. */
  readonly files: readonly FileChange[];
  readonly approvals: readonly Omit<Approval, 'at'>[];
  readonly secrets: Readonly<Record<string, string>>;
  /** The tools that the moved servers listed when they were tried. */
  readonly tried: readonly TriedTools[];
}

const assertReady = ({ project, files, secrets }: Changes, held: HeldState): void => {
  if (Object.keys(secrets).length > 0) assertSecrets(held);
  for (const { file, before } of files) {
    assertInside(file, project);
    assertWritable(file);
    if (readText(file, project) !== before)
      throw wrong(`${file} was changed by another program meanwhile.`, 'Nothing was changed; run the command again.');
  }
};

/** Throws if the project cannot be changed, and says what can be done then. */
export const assertProjectWritable = ({ project, files }: Changes): void => {
  const own = files.filter(({ file }) => project !== undefined && isInside(file, project));
  for (const { file } of own) {
    try {
      assertWritable(file);
    } catch (thrown) {
      const remedy = 'Nothing was changed. To add Colibri without changing the project: colibri init --user';
      throw wrong(asError(thrown).message, remedy);
    }
  }
};

const written = ({ file, what, before, after, inverse, own }: FileChange, held: HeldState): WrittenFile => ({
  file,
  what,
  before: before === undefined ? null : digestOf(before),
  after: own === undefined ? digestOf(after) : null,
  backup: before === undefined ? null : new Journal(held.dir).keep(held, before),
  inverse,
});

const change = async (one: FileChange, held: HeldState): Promise<void> => {
  if (one.own !== undefined && one.inverse.kind === 'servers') {
    return runClientCommands(one.own, one.file, one.inverse);
  }
  makeFolders(dirname(realFile(one.file)));
  replaceText(held, one.file, one.after, one.mode);
};

/** Adds the digests of files that a client's own command wrote; they are known only after the command. */
const withResults = (run: InitRun, files: readonly FileChange[]): InitRun => ({
  ...run,
  files: run.files.map((file, index) => {
    const text = files[index]?.own === undefined ? undefined : readText(file.file);
    return text === undefined ? file : { ...file, after: digestOf(text) };
  }),
});

export const carryOut = async (changes: Changes, held: HeldState): Promise<InitRun> => {
  const { files, approvals, secrets, tried } = changes;
  const journal = new Journal(held.dir);
  assertReady(changes, held);
  journal.runs(); // throws if the journal is damaged, before anything is written
  const known = new Set(readApprovals(held.dir).map(({ digest }) => digest));
  const run: InitRun = {
    id: randomUUID(),
    at: isoClock()(),
    project: changes.project ?? null,
    files: files.map((file) => written(file, held)),
    folders: [...new Set(files.flatMap(({ file }) => missingFolders(dirname(realFile(file)))))],
    approvals: approvals.map(({ digest }) => digest).filter((digest) => !known.has(digest)),
    secrets: Object.keys(secrets),
    tried: tried.map(triedFileName),
  };
  journal.put(held, run);
  try {
    // Approvals and secrets are written before the files that need them.
    if (run.secrets.length > 0) changeSecrets(held, (now) => ({ ...now, ...secrets }));
    const agreed = approvals.map((one) => ({ ...one, at: run.at }));
    if (agreed.length > 0) addApprovals(held, agreed);
    keepTried(held, tried);
    for (const file of files) await change(file, held);
    const done = withResults(run, files);
    journal.put(held, done);
    return done;
  } catch (thrown) {
    await undoRun(withResults(run, files), held);
    throw thrown;
  }
};
