// What the registry does not say of a tool: when to use it, what each argument means and how large it may be, which
// errors are its own. The generator holds names, bounds and codes against the registry.
import { DETAILS } from './shapes.mjs';

// Bounds. Refinements are not in the schemas that clients see, so each is tried at both ends.

const chars = (least, most) => ({ unit: 'characters', least, most });
const bytes = (least, most) => ({ unit: 'bytes', least, most });
const range = (least, most) => ({ unit: '', least, most });
const items = (least, most) => ({ unit: 'items', least, most });
const from = (least) => ({ unit: '', least, most: Number.MAX_SAFE_INTEGER });

/** A form that no length describes: what it takes, and what it does not. */
const form = (words, takes, refuses) => ({ form: words, takes, refuses });

const TASK_ID = form('`T-0042`, also `t-42` and `42`', ['T-0042', 't-42', '42'], ['', 'T-0', 'X-1', '4.2']);
const NAME = chars(1, 128);

/** One argument: what it is for, and its bound. */
const arg = (meaning, bound) => ({ meaning, ...(bound && { bound }) });

const PROJECT = arg(
  'The project to look at, by name or id; default the current one, `*` all, `=name` what has only that name.',
  NAME,
);
const CURSOR = arg('`next_cursor` of the page before, with the same filter.', chars(0, 1000));
const limit = (most) => arg('Rows at most; fewer come where a result would exceed 24 KB.', range(1, most));

const error = (when, details) => ({ when, details });

const AMBIGUOUS = error('several projects have the name that `project` gives', DETAILS.projects);

export const NOTES = {
  server_ping: {
    when: 'To see whether Colibri answers at all, when another call hung or failed. It needs no store. Extra arguments are ignored.',
    arguments: {},
    errors: {},
  },
  server_health: {
    when: 'After `STORE_UNAVAILABLE`: `phase2` means that the store is open. It never fails and needs no store. Extra arguments are ignored.',
    arguments: {},
    errors: {},
  },
  task_create: {
    when: 'Before you start a piece of work that takes more than one step, and for work that you hand to others.',
    arguments: {
      title: arg('What is to be done, in a line.', chars(1, 256)),
      description: arg('The rest of it; counted as JSON.', bytes(0, 16_384)),
      project: arg('Whose work it is, by name or id; default the current project. `*` is no name.', NAME),
      priority: arg('Its place in the queue.'),
      assignee: arg('Who should do it.', NAME),
      depends_on: arg('Tasks that must be DONE before it enters APPLY.', items(0, 100)),
      idempotency_key: arg('The same key and arguments find the task again instead of making another.', NAME),
    },
    errors: {
      ERR_NOT_FOUND: error('a task of `depends_on` does not exist', DETAILS.missing),
      ERR_AMBIGUOUS_PROJECT: AMBIGUOUS,
      ERR_IDEMPOTENCY_MISMATCH: error('the key created a task with other arguments', DETAILS.mismatch),
    },
  },
  task_get: {
    when: 'To read one task whole before you work on it: its description, and which states may follow.',
    arguments: { task_id: arg('The task.', TASK_ID) },
    errors: { ERR_NOT_FOUND: error('there is no such task', DETAILS.missing) },
  },
  task_update: {
    when: 'At every step of a task, with a `note` that says why: the note becomes a thought in the same transaction. Also to edit it.',
    arguments: {
      task_id: arg('The task.', TASK_ID),
      title: arg('A new title.', chars(1, 256)),
      description: arg('A new description, counted as JSON; null removes it.', bytes(0, 16_384)),
      project: arg('Another project, by name or id; null for none.', NAME),
      priority: arg('Another priority.'),
      assignee: arg('Somebody else; null for nobody.', NAME),
      depends_on: arg('Replaces the list.', items(0, 100)),
      status: arg('The state to enter. The state it is in is no change and no error.'),
      note: arg(
        'Why: recorded as a thought for the task, in its open session or one that Colibri opens; counted as JSON.',
        bytes(1, 4096),
      ),
      expected_version: arg('Refuses the change if somebody else was faster.', from(1)),
      lease_token: arg(
        'From a claim; needed for a change of status, assignee or dependencies while the task is leased.',
        from(1),
      ),
      release: arg('Gives the lease back.'),
    },
    errors: {
      ERR_AMBIGUOUS_PROJECT: AMBIGUOUS,
      ERR_NOT_FOUND: error('there is no such task, or none of that name to depend on', DETAILS.missing),
      ERR_INVALID_TRANSITION: error('that state may not follow', DETAILS.transition),
      ERR_WRITEBACK_REQUIRED: error('DONE without a thought in this attempt', DETAILS.writeback),
      ERR_BLOCKED: error('APPLY before every dependency is DONE', DETAILS.blocked),
      ERR_DEPENDENCY_CYCLE: error('it would wait for itself', DETAILS.cycle),
      ERR_VERSION_CONFLICT: error('`expected_version` is not the version', DETAILS.version),
      ERR_LEASE_LOST: error('somebody else has it, or the token is of a lease that is over', DETAILS.lease),
    },
  },
  task_list: {
    when: 'To find tasks by state, project, person, priority or words. To learn what to do next, ask `task_next_actions`.',
    arguments: {
      status: arg('One state or a list of them.'),
      project: PROJECT,
      assignee: arg('Whose tasks.', NAME),
      priority: arg('Of that priority.'),
      search: arg('Text in title or description, whatever its case.', chars(1, 200)),
      limit: limit(200),
      cursor: CURSOR,
    },
    errors: { ERR_AMBIGUOUS_PROJECT: AMBIGUOUS },
  },
  task_next_actions: {
    when: 'First of all, and whenever a task is done. With `claim_by` it takes the first task for you, so that nobody else gets it.',
    arguments: {
      project: PROJECT,
      assignee: arg('Tasks of this one only; those that it holds come with their lease.', NAME),
      limit: limit(100),
      claim_by: arg('Your name: takes the first task that nobody has, sets the assignee and a lease.', NAME),
      lease_minutes: arg('How long the lease lasts without a sign of life.', range(1, 1440)),
    },
    /** What the effect depends on. */
    effects: { read: {}, write: { claim_by: 'ada' } },
    errors: {
      ERR_AMBIGUOUS_PROJECT: AMBIGUOUS,
      ERR_READ_ONLY: error('a claim in mode READONLY', DETAILS.next),
    },
  },
  audit_session_start: {
    when: 'When you want to seal a stretch of work yourself, or name it. Thoughts need none: without a session one is kept for you.',
    arguments: {
      intent: arg('What the session is for.', chars(1, 2000)),
      task_id: arg('The task it belongs to; its notes go there from now on.', TASK_ID),
      session_id: arg('A name of your own; otherwise a UUID.', NAME),
      agent_id: arg("Who you are; default the client's name.", NAME),
    },
    errors: {
      ERR_SESSION_EXISTS: error('the name is taken', DETAILS.session),
      ERR_NOT_FOUND: error('there is no such task', DETAILS.missing),
    },
  },
  thought_record: {
    when: 'When you have a plan, a finding, a decision or a lesson: put it on record with its reasons, for whoever asks later why.',
    arguments: {
      type: arg('What kind of thought.'),
      content: arg(
        'The thought and its reasons, in UTF-8. Stored beside the hashes, so it can be erased.',
        bytes(1, 65_536),
      ),
      session_id: arg('An open session; default that of the task, or one that Colibri keeps.', NAME),
      task_id: arg("The task it is about; default the session's.", TASK_ID),
      agent_id: arg("Who you are; default the client's name. The holder's thoughts extend its lease.", NAME),
      skill: arg('The skill you follow: its name and digest are recorded.', NAME),
      idempotency_key: arg('In its session: the same key and arguments find the thought again.', NAME),
    },
    errors: {
      SESSION_NOT_FOUND: error('there is no such session', DETAILS.session),
      SESSION_FINALIZED: error('the session is sealed', DETAILS.sealed),
      TASK_NOT_FOUND: error('there is no such task', DETAILS.missing),
      SKILL_NOT_FOUND: error('there is no such skill', DETAILS.skill),
      IDEMPOTENCY_MISMATCH: error('the key recorded a thought with other arguments', DETAILS.thought),
    },
  },
  thought_record_list: {
    when: 'To read what was thought, by you or others: of a session, of a task, or all. At most one of the three ids.',
    arguments: {
      session_id: arg('Thoughts of this session.', NAME),
      task_id: arg('Thoughts of this task.', TASK_ID),
      thought_id: arg('This one alone, its content whole.', NAME),
      type: arg('Only of this type.'),
      limit: limit(500),
      cursor: CURSOR,
    },
    errors: {
      SESSION_NOT_FOUND: error('there is no such session', DETAILS.session),
      TASK_NOT_FOUND: error('there is no such task', DETAILS.missing),
      THOUGHT_NOT_FOUND: error('there is no such thought', DETAILS.thought),
    },
  },
  audit_verify_chain: {
    when: 'Before you rely on what is recorded. Without arguments it verifies everything, the ledger included, within 20 seconds.',
    arguments: {
      session_id: arg('One session.', NAME),
      task_id: arg('The sessions of one task.', TASK_ID),
    },
    errors: {
      SESSION_NOT_FOUND: error('there is no such session', DETAILS.session),
      TASK_NOT_FOUND: error('there is no such task', DETAILS.missing),
    },
  },
  merkle_finalize: {
    when: 'At the end of a session that you opened. It takes no more thoughts, for good. Sessions that Colibri opened are sealed by Colibri.',
    arguments: { session_id: arg('The session.', NAME) },
    errors: {
      ERR_SESSION_NOT_FOUND: error('there is no such session', DETAILS.session),
      ERR_ALREADY_FINALIZED: error('it is sealed already', DETAILS.sealed),
      ERR_NO_RECORDS: error('it has no thoughts', DETAILS.session),
    },
  },
  merkle_root: {
    when: 'To hand the root of a sealed session to somebody, or the proof of one thought that they can check without us.',
    arguments: {
      session_id: arg('The session.', NAME),
      thought_id: arg('Adds the proof of this thought.', NAME),
    },
    errors: {
      ERR_SESSION_NOT_FOUND: error('there is no such session', DETAILS.session),
      ERR_NOT_FINALIZED: error('it is still open', DETAILS.session),
      ERR_NOT_FOUND: error('the thought is not in the session', DETAILS.inSession),
    },
  },
  skill_list: {
    when: 'When you begin a kind of work for which somebody may have written instructions. Read the `source` before you follow one.',
    arguments: {
      search: arg('Text in name or description, whatever its case.', chars(1, 200)),
      capability: arg('Skills that name this capability.', chars(1, 200)),
      limit: limit(200),
      cursor: arg(CURSOR.meaning, chars(1, 1000)),
    },
    errors: {},
  },
  router_score: {
    when: 'To learn which server would get a call, and why the others would not. It calls nobody. Either `route` or `tool`.',
    arguments: {
      route: arg('A route of the switchboard file, by its name there.', chars(1, 256)),
      tool: arg('A tool of another server, as it is listed.', chars(1, 256)),
      arguments: arg('What it would be called with: candidates that do not take it are told so.'),
    },
    errors: { INVALID_PARAMS: error('there is no such route or tool', undefined) },
  },
  router_call: {
    when: "To call one tool of one server by the server's own names, as refusals and `router_score` give them. The server's content follows ours in `content`.",
    arguments: {
      server: arg('The server, as the switchboard file names it.', chars(1, 256)),
      tool: arg('Its tool, as the server calls it.', chars(1, 256)),
      arguments: arg('What the tool takes.'),
    },
    errors: {
      INVALID_PARAMS: error('there is no such server or tool, or the arguments do not fit it', undefined),
      HANDLER_ERROR: error('the server answered with a JSON-RPC error', DETAILS.handed),
      TOOL_UNAVAILABLE: error('the server may not get calls now; nothing was sent', DETAILS.unavailable),
      TOOL_BUSY: error('too many calls wait for it; nothing was sent', undefined),
      TOOL_TIMEOUT: error('no answer, from a tool that changes nothing', undefined),
      OUTCOME_UNKNOWN: error('no answer, from any other tool: it may have done its work', undefined),
    },
  },
  router_fallback: {
    when: "To call a route and learn who served it. The server's content follows ours in `content`.",
    arguments: {
      route: arg('The route, by its name in the switchboard file.', chars(1, 256)),
      arguments: arg('What the route takes.'),
    },
    errors: {
      INVALID_PARAMS: error('there is no such route, or the arguments do not fit it', undefined),
      HANDLER_ERROR: error('a server answered with a JSON-RPC error', DETAILS.handed),
      TOOL_UNAVAILABLE: error('the route is off; nothing was sent', undefined),
      FALLBACK_CHAIN_EXHAUSTED: error('no provider served it; it is safe to repeat', DETAILS.exhausted),
      OUTCOME_UNKNOWN: error('a provider gave no answer and may have done its work', undefined),
    },
  },
  router_stats: {
    when: 'After a refusal, to see how the other servers and the routes are.',
    arguments: { server: arg('One server and its routes; default all.', chars(1, 256)) },
    errors: { INVALID_PARAMS: error('there is no such server', undefined) },
  },
};

/** Errors that any call may end in, whatever the tool; docs/errors.md says what each means. */
export const COMMON = [
  'INVALID_PARAMS',
  'TOOL_NOT_FOUND',
  'TOOL_NOT_ADMITTED',
  'HANDLER_ERROR',
  'AUDIT_ENTER_FAILED',
  'AUDIT_EXIT_FAILED',
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'STORE_FULL',
  'STORE_READ_ONLY',
  'STORE_CORRUPT',
  'STORE_ROLLED_BACK',
  'STORE_UPGRADED',
];
