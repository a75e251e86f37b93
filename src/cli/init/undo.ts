// Undoes a run of init. A file that nobody has changed since is restored byte for byte. In a file that was changed since, Colibri's
// entries are removed, servers that init removed are put back, and the rest is kept.
import { rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { editServers, readServers, type ServerEdit } from '../../clients/servers-text.js';
import { CLIENTS } from '../../clients/table.js';
import { readEnv } from '../../config.js';
import type { HeldState } from '../../files/held-file.js';
import { EditError } from '../../files/json-edit.js';
import { removeApprovals } from '../../switchboard/config/approvals.js';
import { changeSecrets } from '../../switchboard/config/secrets.js';
import { oneLine } from '../screen/print.js';
import { assertInside, assertWritable, readText, removeText, replaceText } from '../text-file.js';
import { withBlock, withoutBlock } from './agents-block.js';
import type { HeldJournal } from './changes.js';
import { clientCommandsFor, type PlacedEdit } from './client-files.js';
import { isHidingFromGit } from './folder.js';
import { digestOf, type InitRun, type Inverse, type Journal, type WrittenFile } from './journal.js';
import { runClientCommands } from './own-commands.js';

export interface Reversal {
  readonly written: WrittenFile;
  /** `left`: the file stays as others changed it. `stuck`: the change of the file cannot be undone now. */
  readonly how: 'restored' | 'edited' | 'nothing' | 'left' | 'stuck';
  readonly current: string | undefined;
  /** The text after the undo; undefined if the file is removed. */
  readonly after: string | undefined;
  readonly edits: readonly ServerEdit[];
  readonly why: string;
}

/** The edits that remove Colibri's entries, and that put removed servers back unless their name is taken again. */
const inverseEdits = (text: string, { format, edits }: Extract<Inverse, { kind: 'servers' }>): readonly ServerEdit[] =>
  edits.toReversed().flatMap(({ keys, name, was, now }) => {
    const servers = readServers(text, { format, keys });
    const current = Object.hasOwn(servers, name) ? servers[name] : undefined;
    const isOurs = now !== undefined && current !== undefined;
    const isGone = now === undefined && current === undefined;
    if (!isOurs && !isGone) return [];
    return [{ keys, name, ...(current !== undefined && { was: current }), ...(was !== undefined && { now: was }) }];
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
  const basis = { written, current, edits: [], why: '' };
  if (digest === written.before) return { ...basis, how: 'nothing', after: current, why: 'it is as it was before' };
  if (current === undefined) return { ...basis, how: 'left', after: current, why: 'it is gone' };
  if (isHidingFromGit(written.file))
    return { ...basis, how: 'left', after: current, why: 'it keeps the store out of git' };
  if (digest === written.after) {
    const after = written.backup === null ? undefined : journal.backup(written.backup);
    return { ...basis, how: 'restored', after };
  }
  const { after, edits } = edited(current, written.inverse);
  if (after === current)
    return { ...basis, how: 'left', after, why: 'it was changed since, and contains nothing of ours' };
  return { ...basis, how: 'edited', after, edits, why: 'it was changed since' };
};

type Read = (file: string, project?: string) => string | undefined;

/** Plans the undo of one file. */
const reversalOf = (
  written: WrittenFile,
  journal: Journal,
  project: string | null,
  read: Read = readText,
): Reversal => {
  const inside = project ?? undefined;
  try {
    const reversal = judged(written, read(written.file, inside), journal);
    if (reversal.after !== reversal.current) assertInside(written.file, inside);
    if (reversal.after !== reversal.current) assertWritable(written.file);
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
  const { inverse, file } = written;
  const client = inverse.kind === 'servers' && inverse.client !== undefined ? CLIENTS[inverse.client] : undefined;
  if (client === undefined) return undefined;
  const around = aroundOf(run);
  const places = client.places(around).filter((place) => place.file === file);
  const found = edits.map((edit) => {
    const place = places.find(({ keys }) => keys.join('\n') === edit.keys.join('\n'));
    return place && { client, place, ...edit };
  });
  return found.every((edit) => edit !== undefined) ? found : undefined;
};

const aroundOf = ({ project }: InitRun) => ({
  home: homedir(),
  platform: process.platform,
  env: readEnv(),
  projectDir: project ?? undefined,
});

const revert = async (reversal: Reversal, run: InitRun, held: HeldState): Promise<void> => {
  const { written, how, after, edits } = reversal;
  if (!isDone(reversal)) return;
  const edited = how === 'edited' ? placed(reversal, run) : undefined;
  const own = edited && clientCommandsFor(edited, aroundOf(run));
  if (own !== undefined && written.inverse.kind === 'servers') {
    return runClientCommands(own, { file: written.file, format: written.inverse.format, edits });
  }
  if (after === undefined) removeText(written.file);
  else replaceText(held, written.file, after);
};

/** Removes the run's secrets that no other run lists and no file of this run refers to. */
const forgetSecrets = (run: InitRun, { journal, held }: HeldJournal): void => {
  const others = journal.runs().filter(({ id }) => id !== run.id);
  const texts = run.files.map(({ file }) => readIfPossible(file));
  const gone = run.secrets.filter(
    (name) =>
      !others.some(({ secrets }) => secrets.includes(name)) &&
      !texts.some((text) => text.includes(`\${secret:${name}}`)),
  );
  if (gone.length === 0) return;
  changeSecrets(held, (now) => {
    const kept = Object.entries(now).filter(([name]) => !gone.includes(name));
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  });
};

export const readIfPossible = (file: string): string => {
  try {
    return readText(file) ?? '';
  } catch {
    return '';
  }
};

const removeEmpty = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch {
    // the folder is not empty, or does not exist
  }
};

/** Undoes a run of init. Files that could not be undone stay in the journal. */
export const undoRun = async (run: InitRun, at: HeldJournal): Promise<readonly Reversal[]> => {
  const done: Reversal[] = [];
  for (const written of run.files.toReversed()) {
    const reversal = reversalOf(written, at.journal, run.project);
    try {
      await revert(reversal, run, at.held);
      done.push(reversal);
    } catch (thrown) {
      done.push({ ...reversal, how: 'stuck', why: oneLine(thrown) });
    }
  }
  const others = at.journal.runs().filter(({ id }) => id !== run.id);
  const needed = new Set(others.flatMap(({ approvals }) => approvals));
  removeApprovals(
    at.held,
    run.approvals.filter((digest) => !needed.has(digest)),
  );
  forgetSecrets(run, at);
  run.folders.toReversed().forEach(removeEmpty);
  const stuck = done.filter(({ how }) => how === 'stuck').map(({ written }) => written);
  if (stuck.length === 0) at.journal.drop(at.held, run);
  else at.journal.put(at.held, { ...run, files: stuck.toReversed() });
  return done;
};
