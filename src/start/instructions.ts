// The instructions that a client shows to its model, in `initialize` and in `server/discover`. Models see these and the names of the tools
// first, so the first sentences must suffice.
import type { RuntimeMode } from '../modes.js';

const WORKING = `Colibri keeps your task queue and a ledger of every call. To work: task_next_actions with claim_by (your name) gives you a task and a lease_token; move it with task_update, one state at a time, saying why in note: GATHER, ANALYZE, PLAN, APPLY, VERIFY, DONE. New work: task_create first.

Pass the lease_token with every task_update of a claimed task; it extends the lease. APPLY waits for dependencies; DONE needs a thought in this attempt; VERIFY may go back to GATHER. depends_on sets the order, idempotency_key makes a call safe to repeat, release gives a task back.

Notes are thoughts; thought_record keeps others, no session needed. A task's end seals them; merkle_root proves one, audit_verify_chain checks all. skill_list: how to work here.

Results are {ok, data} or {ok, error}; task and proof tools put their own refusals into data.error. A refusal changes nothing, says what to do, and details.next holds calls that work: make them. INVALID_PARAMS: correct the arguments it names. STORE_BUSY, STORE_UNAVAILABLE: wait details.retry_after_ms, try again.

Only calls through Colibri are recorded, not your own shell and file edits. Each result carries a receipt in _meta.`;

const READING = `Colibri is open for reading only: task_next_actions, task_list and task_get show the task queue, thought_record_list the thoughts, merkle_root proofs of them, audit_verify_chain whether all is intact; nothing can be created, claimed or changed, and calls are not recorded. An answer is {ok, data} or {ok, error}; task and proof tools put their own refusals into data.error. server_health says phase2 when the store is open.`;

const MINIMAL = `Colibri runs without its store: only server_ping and server_health answer, and calls are not recorded. To use tasks, start it in another mode (COLIBRI_MODE).`;

export const INSTRUCTIONS: Readonly<Record<RuntimeMode, string>> = {
  FULL: WORKING,
  TEST: WORKING,
  READONLY: READING,
  MINIMAL,
};
