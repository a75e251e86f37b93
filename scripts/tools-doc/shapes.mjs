// The shape of `data` of every tool, and of the details of their errors. Strict: a field that is not here is a mistake,
// here or in the tool. docs/tools.md is made from it, and test/wire/tool-shapes.test.ts holds real results to it. The server
// does not load this file: checking every result would cost every call.
import * as z from 'zod';

// Kinds of values. `kind` is what the document calls them.

const kind = (schema, name) => schema.meta({ kind: name });
const pattern = (regex, name) => kind(z.string().regex(regex), name);

const taskId = pattern(/^T-\d{4,}$/, 'task id');
const uuid = pattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'UUID');
const time = pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'time');
const hash = pattern(/^[0-9a-f]{64}$/, 'hash');
const skillDigest = pattern(/^sha256:[0-9a-f]{64}$/, 'digest');
const text = z.string();
const count = z.int().nonnegative();
const from1 = z.int().positive();
const flag = z.boolean();
const sessionId = kind(z.string().min(1).max(128), 'session id');
const cursor = kind(z.string().min(1), 'cursor').nullable().describe('Where the list goes on; null at its end.');

const TASK_STATES = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'];
const HEALTH = ['STARTING', 'HEALTHY', 'UNHEALTHY', 'QUARANTINE', 'PROBATION'];
const MODES = ['FULL', 'READONLY', 'TEST', 'MINIMAL'];
const state = z.enum(TASK_STATES);

// Shapes that several tools share.

const task = z
  .strictObject({
    task_id: taskId,
    title: text,
    description: text.nullable(),
    project: text.nullable().describe('Its name.'),
    project_id: text
      .nullable()
      .describe('What tells it from another project of that name; null: it has only a name, or there is none.'),
    status: state,
    priority: z.enum(['low', 'normal', 'high', 'urgent']),
    assignee: text.nullable(),
    depends_on: z.array(taskId).describe('What must be DONE before it enters APPLY.'),
    blocked_by: z.array(taskId).describe('Those of them that are not DONE.'),
    attempt: from1.describe('Raised by VERIFY → GATHER.'),
    version: from1.describe('Raised by every change; for `expected_version`.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Task' });

const listedTask = task.omit({ description: true }).meta({ id: 'ListedTask' });

const nextCall = z.strictObject({ tool: text, arguments: z.record(z.string(), z.unknown()) }).meta({ id: 'Call' });

/** Ready calls stand in nearly every refusal. */
const next = z.array(nextCall).describe('Ready calls.');

const attempt = z
  .strictObject({
    server: text,
    tool: text,
    how: text.describe('How it ended.'),
    code: text.optional().describe('The code of an error.'),
    sent: flag.describe('Whether anything was handed to the server.'),
    duration_ms: z.number().nonnegative(),
    reason: text.optional().describe('In a refusal of a route.'),
  })
  .meta({ id: 'Attempt' });

const candidate = z
  .strictObject({
    server: text,
    tool: text,
    state: z.enum(HEALTH).nullable().describe('Null: its server is not there.'),
    eligible: flag.describe('Whether it may get the call now.'),
    rank: from1.nullable().describe('When its turn comes; null: it does not.'),
    reason: text.nullable(),
  })
  .meta({ id: 'Candidate' });

export const NAMED = { Task: task, Call: nextCall, Attempt: attempt, Candidate: candidate };

// The shape of `data`, tool by tool.

const where = {
  log: text.optional().describe('The log of a record.'),
  seq: count.optional().describe('Its place in the log.'),
  table: text.optional().describe('The table of a row.'),
  id: text.optional().describe('The name of a row.'),
};

const root = {
  session_id: sessionId,
  root: hash.describe('RFC 6962 root over the thoughts of the session.'),
  record_count: from1,
  finalized_at: time,
};

const redacted = z
  .array(text)
  .optional()
  .describe(
    'The arguments from which something in the shape of a secret was taken out before they were kept; absent: none.',
  );

export const DATA = {
  server_ping: z.strictObject({
    version: text,
    mode: z.enum(MODES),
    uptime_ms: count,
  }),
  server_health: z.strictObject({
    status: z.literal('ok'),
    version: text,
    uptime_ms: count,
    db_tables: count.describe('Tables of the store; 0 while it is closed.'),
    phase: z.enum(['phase1', 'phase2']).describe('`phase2`: the store is open.'),
    mode: z.enum(MODES),
  }),
  task_create: task.extend({ redacted }),
  task_get: task.extend({
    next_states: z.array(state).describe('What may follow.'),
    thoughts: count.describe('Thoughts recorded for it, in all attempts.'),
  }),
  task_update: task.extend({ redacted }),
  task_list: z.strictObject({ tasks: z.array(listedTask).describe('Oldest first.'), next_cursor: cursor }),
  task_next_actions: z.strictObject({
    actions: z
      .array(
        z.strictObject({
          task: listedTask,
          next_states: z.array(state),
          unblocks: z.array(taskId).describe('Tasks that wait for this one alone; the first 10.'),
          lease_token: from1.optional().describe('With a claim, or for the holder: show it with every change.'),
          lease_until: time.optional().describe('Extended by every update with the token.'),
        }),
      )
      .describe('Urgent first, then the closest to DONE, then the oldest. A claim returns one.'),
    blocked: z
      .array(z.strictObject({ task_id: taskId, waits_for: z.array(taskId) }))
      .describe('Tasks that wait for others; the first 10.'),
    reason: text.nullable().describe('Why there is nothing to do; null where there is something.'),
  }),
  audit_session_start: z.strictObject({
    session_id: sessionId,
    intent: text,
    task_id: taskId.nullable(),
    started_at: time,
    genesis_hash: hash.describe('`prev_hash` of its first thought.'),
    redacted,
  }),
  thought_record: z.strictObject({
    thought_id: uuid,
    session_id: sessionId,
    seq: count.describe('Its place in the session, from 0.'),
    timestamp: time,
    prev_hash: hash,
    hash,
    redacted,
  }),
  thought_record_list: z.strictObject({
    thoughts: z.array(
      z.strictObject({
        thought_id: uuid,
        session_id: sessionId,
        seq: count,
        type: z.enum(['plan', 'analysis', 'decision', 'reflection']),
        task_id: taskId.nullable(),
        agent_id: text.nullable(),
        skill: z.strictObject({ name: text, digest: skillDigest }).nullable(),
        timestamp: time,
        prev_hash: hash,
        hash,
        content: text.nullable().describe('Its first 280 characters, or all of it with `thought_id`; null: erased.'),
        content_chars: count.nullable().describe('How long the whole content is; null: erased.'),
        erased: z.literal(true).optional().describe('Its content was taken out by a record that says why.'),
      }),
    ),
    next_cursor: cursor,
  }),
  audit_verify_chain: z.strictObject({
    valid: flag.describe('No contradiction was found.'),
    complete: flag.describe('Everything in scope was looked at.'),
    checked_to_seq: count.optional().describe('Where it stopped when the time was up.'),
    scope: z.strictObject({ kind: z.enum(['store', 'session', 'task']), id: text.optional() }),
    record_count: count.describe('Records of the ledger, or thoughts of the session or task.'),
    broken_count: count,
    first_broken_at: z.strictObject({ ...where, message: text }).nullable(),
    findings: z
      .array(z.strictObject({ kind: text, where: z.strictObject(where), message: text }))
      .optional()
      .describe('The first 5; `colibri verify` shows more.'),
    missing: z
      .array(z.strictObject({ kind: text, message: text, count: count.optional() }))
      .describe('Evidence that is gone and says so itself.'),
    remarks: z.array(text).optional().describe('Worth knowing, no fault.'),
    checked: z.array(text),
    not_checked: z.array(text),
    custody: z.strictObject({
      key: text.describe('Who could sign in our name.'),
      heads: text.describe('What a rollback was measured by.'),
    }),
  }),
  merkle_finalize: z.strictObject({
    ...root,
    checkpoint: text.describe('The signed head of the ledger (C2SP).'),
    checkpoint_size: from1.describe('Records under it; the seal is the last.'),
  }),
  merkle_root: z.strictObject({
    ...root,
    checkpoint: text.nullable().describe('Null until the ledger was signed over the seal: within a minute.'),
    checkpoint_size: from1.nullable(),
    proof: z
      .strictObject({
        thought: z.strictObject({
          record: text.describe('The text that was hashed.'),
          index: count,
          path: z.array(hash).describe('From it to `root`.'),
          leaf: hash,
        }),
        seal: z.strictObject({
          record: text.describe('The record that closed the session.'),
          seq: count,
          path: z.array(hash).nullable().describe('From it to the checkpoint.'),
          size: from1.nullable(),
        }),
      })
      .optional()
      .describe('With `thought_id`.'),
    proof_file: text
      .nullable()
      .optional()
      .describe('With `thought_id`: a c2sp.org/tlog-proof@v1 file, where it is signed and fits.'),
    proof_file_hint: text.optional().describe('Where `proof_file` is null: how to get it.'),
  }),
  skill_list: z.strictObject({
    skills: z.array(
      z.strictObject({
        name: text,
        description: text,
        version: text.nullable(),
        license: text.nullable(),
        compatibility: text.nullable(),
        capabilities: z.array(text).nullable(),
        allowed_tools: z.array(text).nullable(),
        digest: skillDigest.nullable().describe('Over all its files; null until it is made.'),
        source: text.describe('Its SKILL.md: read it before you follow it.'),
      }),
    ),
    problems: z
      .array(z.strictObject({ path: text, reason: text }))
      .describe('Skills that cannot be used; with the first page.'),
    next_cursor: cursor,
  }),
  router_score: z.strictObject({
    route: text.nullable().describe('Null: the question was for a tool.'),
    winner: z.strictObject({ server: text, tool: text }).nullable().describe('Who would get the call now.'),
    candidates: z.array(candidate),
    off: text.nullable().describe('Why the route is off; null: it is on.'),
  }),
  router_call: z.strictObject({
    server: text,
    tool: text,
    attempts: z.array(attempt),
    is_error: flag.describe("The tool's own `isError`."),
  }),
  router_stats: z.strictObject({
    servers: z.array(
      z.strictObject({
        server: text,
        state: z.enum(HEALTH).nullable(),
        since: time.nullable(),
        reason: text.nullable(),
        next_at: time.nullable().describe('When it is tried or checked next.'),
        tools: count,
        calls: count,
        failures: count,
        unknown: count.describe('Calls whose outcome is not known.'),
        waiting: count,
        in_flight: count,
        p50_ms: count.nullable(),
        p99_ms: count.nullable(),
      }),
    ),
    routes: z.array(
      z.strictObject({
        route: text,
        tool: text.describe('As it is listed.'),
        off: text.nullable(),
        providers: z.array(text),
        calls: count,
        answered: count,
        fell_back: count.describe('Answered by another provider than the first.'),
        exhausted: count,
        unknown: count,
      }),
    ),
    left_out: count.describe('Servers and routes that did not fit.'),
  }),
};
DATA.router_fallback = DATA.router_call;

// Details of errors. Each is open at the end: `remedy`, `retry_after_ms`, `cause` may come with any error.

const details = (shape) => z.strictObject(shape);
const unavailable = {
  server: text,
  tool: text,
  state: z.enum(HEALTH).nullable(),
  reason: text,
  retry_after_ms: count.nullable(),
  alternatives: z.array(z.strictObject({ server: text, tool: text })),
};

export const DETAILS = {
  missing: details({ missing: z.array(taskId), next }),
  projects: details({ projects: z.array(z.strictObject({ project_id: text, dir: text.nullable() })), next }),
  mismatch: details({ task_id: taskId, next }),
  transition: details({ from: state, to: state, allowed: z.array(state), next }),
  writeback: details({ missing: z.tuple([z.literal('thought')]), next }),
  blocked: details({ blocked_by: z.array(taskId), next }),
  cycle: details({ path: z.array(text), next }),
  version: details({ actual: from1, next }),
  lease: details({ holder: text.nullable(), until: time.nullable(), next }),
  next: details({ next }),
  session: details({ session_id: sessionId, next }),
  sealed: details({ session_id: sessionId, finalized_at: time, next }),
  inSession: details({ session_id: sessionId, thought_id: text, found_in: sessionId.optional(), next }),
  thought: details({ thought_id: text, next }),
  skill: details({ skill: text, next }),
  unavailable: details(unavailable),
  handed: details({ server: text, tool: text, rpc_code: z.int(), attempts: z.array(attempt) }),
  exhausted: details({
    route: text,
    attempts: z.array(attempt),
    candidates: z.array(candidate),
    retry_after_ms: count.nullable(),
    safe_to_retry: z.literal(true),
  }),
};
