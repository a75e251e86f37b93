// What the answer to a claim holds besides the lease: everything that is needed to start working. The description, the last notes on the task,
// who had it before, and what was decided in the tasks that it depends on. All of it fits into DOMAIN_LIMITS.claimBytes.
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { type NoteRow, newestNotes } from '../trail/repository.js';
import { dependenciesOf } from './dependency-repository.js';
import { findTask } from './repository.js';
import { isTerminal, type TaskState } from './state-machine.js';
import { type TaskRow, taskId } from './task.js';

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Cuts a text to at most `chars` characters and `bytes` bytes of JSON, the quotes included; what was cut ends with an ellipsis. */
export const cutText = (text: string, chars: number, bytes: number): string => {
  if (text.length <= chars && jsonBytes(text) <= bytes) return text;
  const cutAt = (length: number): string =>
    `${text
      .slice(0, length)
      .toWellFormed()
      .replace(/\ufffd$/u, '')}…`;
  let [fits, tooLong] = [0, Math.min(text.length, chars)];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >>> 1;
    if (jsonBytes(cutAt(middle)) <= bytes) fits = middle;
    else tooLong = middle;
  }
  return fits === 0 ? '' : cutAt(fits);
};

interface ShownNote {
  readonly at: string;
  readonly agent: string | null;
  readonly text: string;
  /** Only if the text was cut: the thought that has all of it. */
  readonly thought_id?: string;
}

interface ShownDependency {
  readonly task_id: string;
  readonly status: TaskState;
  readonly note: string | null;
}

/** What a claimer needs to start. */
export interface StartingPoint {
  readonly description: string | null;
  readonly description_cut?: true;
  readonly notes: readonly ShownNote[];
  readonly notes_cut?: true;
  readonly previous_holder: string | null;
  readonly dependencies: readonly ShownDependency[];
}

const NOTE_CHARS = DOMAIN_LIMITS.shownContentChars;

const showNote = ({ timestamp: at, agent_id: agent, content, thought_id }: NoteRow, bytes: number): ShownNote => {
  const whole = content ?? '(erased)';
  const text = cutText(whole, NOTE_CHARS, bytes);
  return { at, agent, text, ...(text !== whole && { thought_id }) };
};

/** The tasks that a task depends on, the last ones first to be left out, each with its last note. */
const decisions = async (tx: ReadTx, n: number, bytes: number): Promise<ShownDependency[]> => {
  const all = await dependenciesOf(tx, n);
  const shown = all.slice(-DOMAIN_LIMITS.shownTasks);
  const each = Math.floor(bytes / Math.max(shown.length, 1));
  const found: ShownDependency[] = [];
  for (const { n: on, status } of shown) {
    // What was noted after a task's end is not what was decided there.
    const endedAt = isTerminal(status) ? (await findTask(tx, on))?.updated_at : undefined;
    const [note] = await newestNotes(tx, taskId(on), 1, endedAt);
    const bare = { task_id: taskId(on), status, note: null };
    const room = each - jsonBytes(bare) - 1;
    const text = note?.content == null ? null : cutText(note.content, NOTE_CHARS, room);
    found.push({ ...bare, note: text === '' ? null : text });
  }
  return found;
};

/** What a claimer needs to start with a task, in at most `room` bytes. What does not fit is cut: the description before all else. */
export const startingPoint = async (
  tx: ReadTx,
  task: TaskRow,
  previous: string | null,
  room: number,
): Promise<StartingPoint> => {
  const newest = await newestNotes(tx, taskId(task.n), DOMAIN_LIMITS.claimNotes + 1);
  const rows = newest.slice(0, DOMAIN_LIMITS.claimNotes);
  const bare: StartingPoint = {
    ...{ description: null, description_cut: true, notes: [], notes_cut: true, dependencies: [] },
    previous_holder: previous,
  };
  let left = Math.max(room - jsonBytes(bare), 0);
  const dependencies = await decisions(tx, task.n, Math.min(left / 2, DOMAIN_LIMITS.claimDependencyBytes));
  left -= jsonBytes(dependencies);
  const noteBytes = Math.max(left / (2 * DOMAIN_LIMITS.claimNotes), 0);
  const notes = rows.map((row) => showNote(row, noteBytes - jsonBytes({ ...row, content: null }))).toReversed();
  left -= jsonBytes(notes);
  const { description } = task;
  const shown = description === null ? null : cutText(description, description.length, Math.max(left, 0));
  return {
    description: shown,
    ...(shown !== description && { description_cut: true }),
    notes,
    ...(newest.length > rows.length && { notes_cut: true }),
    previous_holder: previous,
    dependencies,
  };
};
