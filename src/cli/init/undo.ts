// Undoes a run of init. A file that nobody has changed since is restored byte for byte. In a file that was changed since, Colibri's
// entries are removed, servers that init removed are put back, and the rest is kept.

import { rmdirSync } from 'node:fs';
import type { Around } from '../../clients/client.js';
import { editServers, readServers, type ServerEdit } from '../../clients/servers-text.js';
import { CLIENTS } from '../../clients/table.js';
import { quietly } from '../../errors.js';
import type { HeldState } from '../../files/held-file.js';
import { EditError } from '../../files/json-edit.js';
import { removeApprovals } from '../../switchboard/config/approvals.js';
import { forgetTried } from '../../switchboard/config/tried-tools.js';
import { oneLine } from '../screen/print.js';
import { dropSecrets } from '../switchboard/losses.js';
import { assertInside, assertWritable, readText, removeText, replaceText } from '../text-file.js';
import { withBlock, withoutBlock } from './agents-block.js';
import { aroundHere, clientCommandsFor, type PlacedEdit, runClientCommands } from './client-files.js';
import { isHidingFromGit } from './folder.js';
import {
  clientIdOf,
  digestOf,
  type InitRun,
  type Inverse,
  Journal,
  type ServersInverse,
  type WrittenFile,
} from './journal.js';

export interface Reversal {
  readonly written: WrittenFile;
  /** How the file's change is undone. `left`: the file stays as others changed it. `stuck`: the change cannot be undone now. */
  readonly how: 'restored' | 'edited' | 'nothing' | 'left' | 'stuck';
  readonly current: string | undefined;
  /** The text after the undo; undefined if the file is removed. */
  readonly after: string | undefined;
  readonly edits: readonly ServerEdit[];
  readonly why: string;
}

/** The edits that remove Colibri's entries, and that put removed servers back unless their name is taken again. */
const inverseEdits = (text: string, { format, edits }: ServersInverse): readonly ServerEdit[] =>
  edits.toReversed().flatMap(({ keys, name, was, now }) => {
    const servers = readServers(text, { format, keys });
    const current = Object.hasOwn(servers, name) ? servers[name] : undefined;
    const isOurs = now !== undefined && current !== undefined;
    const isGone = now === undefined && current === undefined;
    if (!isOurs && !isGone) return [];
    return [{ keys, name, was: current, now: was }];
  });

const edited = (text: string, inverse: Inverse): { readonly after: string; readonly edits: readonly ServerEdit[] } => {
  if (inverse.kind === 'block') {
    const after = inverse.was === undefined ? withoutBlock(text) : withBlock(text, inverse.was);
    return { after, edits: [] };
  }
  if (inverse.kind === 'file') return { after: text, edits: [] };
  const edits = inverseEdits(text, inverse);
  return { after: editServers(text, inverse.format, edits), edits };
};

const judged = (written: WrittenFile, current: string | undefined, journal: Journal): Reversal => {
  const digest = current === undefined ? null : digestOf(current);
  const stays = { written, current, after: current, edits: [] };
  if (digest === written.before) return { ...stays, how: 'nothing', why: 'it is as it was before' };
  if (current === undefined) return { ...stays, how: 'left', why: 'it is gone' };
  if (isHidingFromGit(written.file)) return { ...stays, how: 'left', why: 'it keeps the store out of git' };
  if (digest === written.after) {
    const after = written.backup === null ? undefined : journal.backup(written.backup);
    return { ...stays, how: 'restored', after, why: '' };
  }
  const { after, edits } = edited(current, written.inverse);
  if (after !== current) return { written, current, after, edits, how: 'edited', why: 'it was changed since' };
  return { ...stays, how: 'left', why: 'it was changed since, and contains nothing of ours' };
};

type Read = (file: string, project?: string) => string | undefined;

const reversalOf = (
  written: WrittenFile,
  journal: Journal,
  project: string | null,
  read: Read = readText,
): Reversal => {
  const inside = project ?? undefined;
  try {
    const reversal = judged(written, read(written.file, inside), journal);
    if (reversal.after !== reversal.current) {
      assertInside(written.file, inside);
      assertWritable(written.file);
    }
    return reversal;
  } catch (thrown) {
    const why = thrown instanceof EditError ? thrown.message : oneLine(thrown);
    return { written, how: 'stuck', current: undefined, after: undefined, edits: [], why };
  }
};

/**
 * Plans the undo of several runs, the last run and its last file first: clients get their servers back before the switchboard loses
 * them. Each step sees its file as the steps before would leave the file.
 */
export const reversalsOf = (runs: readonly InitRun[], journal: Journal): readonly Reversal[] => {
  const results = new Map<string, string | undefined>();
  const read: Read = (file, project) => (results.has(file) ? results.get(file) : readText(file, project));
  return runs
    .toReversed()
    .flatMap(({ files, project }) => files.toReversed().map((written) => ({ written, project })))
    .map(({ written, project }) => {
      const reversal = reversalOf(written, journal, project, read);
      if (isDone(reversal)) results.set(written.file, reversal.after);
      return reversal;
    });
};

const isDone = ({ how }: Reversal): boolean => how === 'restored' || how === 'edited';

const placed = ({ written, edits }: Reversal, run: InitRun): readonly PlacedEdit[] | undefined => {
  const id = clientIdOf(written.inverse);
  if (id === undefined) return undefined;
  const client = CLIENTS[id];
  const places = client.places(aroundOf(run)).filter((place) => place.file === written.file);
  const found = edits.map((edit) => {
    const place = places.find(({ keys }) => keys.join('\n') === edit.keys.join('\n'));
    return place && { client, place, ...edit };
  });
  return found.every((edit) => edit !== undefined) ? found : undefined;
};

const aroundOf = ({ project }: InitRun): Around => aroundHere(project ?? undefined);

const revert = async (reversal: Reversal, run: InitRun, held: HeldState): Promise<void> => {
  const { written, how, after, edits } = reversal;
  if (!isDone(reversal)) return;
  const edited = how === 'edited' ? placed(reversal, run) : undefined;
  const own = edited && clientCommandsFor(edited, aroundOf(run));
  if (own !== undefined && written.inverse.kind === 'servers') {
    return runClientCommands(own, written.file, { format: written.inverse.format, edits });
  }
  if (after === undefined) removeText(written.file);
  else replaceText(held, written.file, after);
};

/** Removes the run's secrets that no other run lists and no file of this run refers to. */
const forgetSecrets = (run: InitRun, others: readonly InitRun[], held: HeldState): void => {
  const texts = run.files.map(({ file }) => readIfPossible(file));
  const gone = run.secrets.filter(
    (name) =>
      !others.some(({ secrets }) => secrets.includes(name)) &&
      !texts.some((text) => text.includes(`\${secret:${name}}`)),
  );
  if (gone.length > 0) dropSecrets(held, (name) => gone.includes(name));
};

export const readIfPossible = (file: string, project?: string): string => quietly(() => readText(file, project)) ?? '';

/** Removes the folder if it exists and is empty. */
const removeEmpty = (folder: string): void => quietly(() => rmdirSync(folder));

/** Undoes a run of init. Files that could not be undone stay in the journal. */
export const undoRun = async (run: InitRun, held: HeldState): Promise<readonly Reversal[]> => {
  const journal = new Journal(held.dir);
  const done: Reversal[] = [];
  for (const written of run.files.toReversed()) {
    const reversal = reversalOf(written, journal, run.project);
    try {
      await revert(reversal, run, held);
      done.push(reversal);
    } catch (thrown) {
      done.push({ ...reversal, how: 'stuck', why: oneLine(thrown) });
    }
  }
  const others = journal.runs().filter(({ id }) => id !== run.id);
  const needed = new Set(others.flatMap(({ approvals }) => approvals));
  const unneeded = run.approvals.filter((digest) => !needed.has(digest));
  removeApprovals(held, unneeded);
  forgetSecrets(run, others, held);
  const stillTried = new Set(others.flatMap(({ tried = [] }) => tried));
  forgetTried(
    held,
    (run.tried ?? []).filter((name) => !stillTried.has(name)),
  );
  run.folders.toReversed().forEach(removeEmpty);
  const stuck = done.filter(({ how }) => how === 'stuck').map(({ written }) => written);
  if (stuck.length === 0) journal.drop(held, run);
  else journal.put(held, { ...run, files: stuck.toReversed() });
  return done;
};
