// The tool thought_record_list: lists the thoughts of a session, of a task, or all thoughts, in pages.
import * as z from 'zod';
import { arg, defineTool, type Frozen, reading } from '../../call/define-tool.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { decodeCursor, encodeCursor, fitPage } from '../page.js';
import { noTask } from '../refusal.js';
import * as shapes from '../shapes.js';
import { idField } from '../tasks/fields.js';
import { findTask } from '../tasks/repository.js';
import { taskId, taskNumber } from '../tasks/task.js';
import { LIST_THOUGHTS, noSession, noThought } from './errors.js';
import { atMostOne, sessionField, thoughtField, typeField } from './fields.js';
import {
  type ListedRow,
  listedThought,
  ORDERS,
  spotsInSession,
  spotsOfAll,
  spotsOfTask,
  type ThoughtSpot,
} from './list-repository.js';
import { findSession } from './repository.js';
import type { ThoughtType } from './thought.js';

const input = z
  .strictObject({
    session_id: arg(sessionField.optional(), 'Only thoughts of this session.'),
    task_id: arg(idField.optional(), 'Only thoughts about this task.'),
    thought_id: arg(thoughtField.optional().describe('this one, whole'), 'Only this thought, with its whole content.'),
    type: arg(typeField.optional(), 'Only of this type.'),
    order: arg(z.enum(ORDERS).default('oldest'), 'Which thoughts come first.'),
    proof: arg(
      z.boolean().optional().describe('adds session and hashes'),
      'Adds what a proof needs: session, place in it, task, skill and hashes.',
    ),
    limit: arg(z.int().min(1).max(DOMAIN_LIMITS.thoughtRows).default(DOMAIN_LIMITS.listUsualRows), shapes.limitMeaning),
    cursor: arg(z.string().max(DOMAIN_LIMITS.cursorChars).optional(), shapes.cursorMeaning),
  })
  .refine(atMostOne('session_id', 'task_id', 'thought_id'), {
    error: 'give at most one of session_id, task_id, thought_id',
  });
type ListArgs = z.infer<typeof input>;

/** What a thought has besides with `proof`. */
const proven = {
  session_id: shapes.sessionIdShape,
  seq: shapes.countShape.describe('Its place in the session, from 0.'),
  task_id: shapes.taskIdShape.nullable(),
  skill: z.strictObject({ name: shapes.textField, digest: shapes.skillDigest }).nullable(),
  prev_hash: shapes.hash,
  hash: shapes.hash,
};

const thought = z.strictObject({
  thought_id: shapes.uuid,
  type: typeField,
  agent_id: shapes.textField.nullable(),
  timestamp: shapes.time,
  content: shapes.textField
    .nullable()
    .describe('The first 280 characters of the content, or all of it with `thought_id`; null if it was erased.'),
  content_chars: shapes.countShape
    .optional()
    .describe('How many characters the whole content has; only where `content` is cut.'),
  erased: z.literal(true).optional().describe('Whether the content was erased; a record says why.'),
  ...z.strictObject(proven).partial().shape,
});
type Shown = Frozen<z.infer<typeof thought>>;

const provenOf = (row: ListedRow) => ({
  session_id: row.session_id,
  seq: row.place,
  task_id: row.task_id,
  skill: row.skill_name === null ? null : { name: row.skill_name, digest: row.skill_digest ?? '' },
  prev_hash: row.prev_hash,
  hash: row.hash,
});

/** How many characters a list shows of a thought's content, and whether it shows what a proof needs. */
interface Show {
  readonly chars: number;
  readonly proof: boolean | undefined;
}

const shown = (row: ListedRow, { chars, proof }: Show): Shown => ({
  thought_id: row.thought_id,
  type: row.type,
  agent_id: row.agent_id,
  timestamp: row.timestamp,
  content: row.content,
  ...(row.content_chars !== null && row.content_chars > chars && { content_chars: row.content_chars }),
  ...(row.content === null && { erased: true as const }),
  ...(proof === true && provenOf(row)),
});

/** Returns at most `limit` thoughts after a position, in order. */
type Walk = (after: readonly number[], limit: number) => Promise<readonly ThoughtSpot[]>;

/** The function that reads the list which the arguments ask for. Throws if the session or task does not exist. */
const walkFor = async (tx: ReadTx, { session_id, task_id, order }: ListArgs): Promise<Walk> => {
  if (session_id !== undefined) {
    if ((await findSession(tx, session_id)) === undefined) {
      throw noSession(
        'SESSION_NOT_FOUND',
        session_id,
        [LIST_THOUGHTS],
        'Without session_id, all thoughts are listed with their sessions.',
      );
    }
    return (after, limit) => spotsInSession(tx, session_id, { order, after, limit });
  }
  if (task_id === undefined) return (after, limit) => spotsOfAll(tx, { order, after, limit });
  const n = taskNumber(task_id) ?? 0;
  if ((await findTask(tx, n)) === undefined) throw noTask('TASK_NOT_FOUND', taskId(n));
  return (after, limit) => spotsOfTask(tx, taskId(n), { order, after, limit });
};

/**
 * Reads thoughts until enough of them match, or until the search limit is reached and the caller has to ask for the next page, which begins
 * after the position `after`; undefined if no thought follows.
 */
const collect = async (walk: Walk, from: readonly number[], type: ThoughtType | undefined, count: number) => {
  const step = type === undefined ? count + 1 : DOMAIN_LIMITS.searchStepRows;
  const spots: ThoughtSpot[] = [];
  let after = from;
  for (let seen = 0; seen < DOMAIN_LIMITS.searchRows; seen += step) {
    const part = await walk(after, step);
    spots.push(...part.filter((spot) => type === undefined || spot.type === type));
    if (spots.length > count) return { spots: spots.slice(0, count), after: spots[count - 1]?.position };
    if (part.length < step) return { spots, after: undefined };
    after = part.at(-1)?.position ?? after;
  }
  return { spots, after };
};

const one = async (tx: ReadTx, thoughtId: string, { type, proof }: ListArgs): Promise<Shown[]> => {
  const show = { chars: DOMAIN_LIMITS.contentBytes, proof };
  const row = await listedThought(tx, thoughtId, show.chars);
  if (row === undefined) throw noThought(thoughtId);
  return type === undefined || row.type === type ? [shown(row, show)] : [];
};

const rowsAt = async (tx: ReadTx, spots: readonly ThoughtSpot[], proof: boolean | undefined): Promise<Shown[]> => {
  const show = { chars: DOMAIN_LIMITS.shownContentChars, proof };
  const rows: Shown[] = [];
  for (const { id } of spots) {
    const row = await listedThought(tx, id, show.chars);
    if (row !== undefined) rows.push(shown(row, show));
  }
  return rows;
};

export const thoughtRecordList = defineTool({
  name: 'thought_record_list',
  title: 'List thoughts',
  description: 'Read thoughts in order, contents cut: of a session, of a task, or all.',
  when: 'To read what was thought, by you or others: of a session, of a task, or all. At most one of `session_id`, `task_id` and `thought_id`.',
  effect: 'read',
  input,
  output: z.strictObject({ thoughts: z.array(thought), next_cursor: shapes.nextCursor }),
  errors: {
    SESSION_NOT_FOUND: { when: 'there is no such session', details: shapes.sessionDetails },
    TASK_NOT_FOUND: { when: 'there is no such task', details: shapes.missingDetails },
    THOUGHT_NOT_FOUND: { when: 'there is no such thought', details: shapes.thoughtDetails },
  },
  examples: [
    { args: { session_id: 'monday' }, error: 'SESSION_NOT_FOUND' },
    { args: { task_id: 'T-9999' }, error: 'TASK_NOT_FOUND' },
    { args: { thought_id: 'the first one' }, error: 'THOUGHT_NOT_FOUND' },
    { args: { session_id: '$audit_session_start.session_id', order: 'newest', proof: true } },
    { args: { session_id: '$audit_session_start.session_id' } },
  ],
  run: async (args, extra) => {
    const { tx } = reading(extra);
    const { session_id = null, thought_id = null, type } = args;
    const task_id = args.task_id === undefined ? null : taskId(taskNumber(args.task_id) ?? 0);
    const bound = {
      tool: 'thought_record_list',
      session_id,
      task_id,
      thought_id,
      type: type ?? null,
      order: args.order,
    };
    const from = decodeCursor(bound, args.cursor);
    if (thought_id !== null) return { thoughts: await one(tx, thought_id, args), next_cursor: null };
    const walk = await walkFor(tx, args);
    const found = await collect(walk, from, type, Math.min(args.limit, DOMAIN_LIMITS.thoughtPageRows));
    const page = fitPage(await rowsAt(tx, found.spots, args.proof));
    const after = page.more ? found.spots[page.rows.length - 1]?.position : found.after;
    return { thoughts: page.rows, next_cursor: after === undefined ? null : encodeCursor(bound, after) };
  },
});
