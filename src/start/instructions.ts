// The instructions that a client shows to its model, in `initialize` and in `server/discover`. Models see these and the names of the tools
// first, so the first sentences must suffice.
import type { RuntimeMode } from '../modes.js';

const WORKING = `Colibri keeps your task queue and a ledger of every call.

To work: task_next_actions with claim_by (your name) gives you a task, what is known about it, and a lease_token. Lost your context? Make the same call: you get your task back. Then task_update with the lease_token, saying why in note: GATHER, ANALYZE, PLAN, APPLY, VERIFY, DONE, none skipped. A small task takes two calls: task_create with claim_by, then task_update with steps up to DONE. A whole plan is one task_create with tasks.

A claim never takes a task that is assigned to somebody else. To hand over: note and release. APPLY waits for dependencies; DONE needs a note or thought in this attempt; VERIFY may go back to GATHER. idempotency_key makes a write safe to repeat.

thought_record keeps decisions; the end of a task seals them; merkle_root proves one. skill_list: how to work here.

A refusal (isError) changes nothing and says what to do; details.next, if there, holds calls that work. STORE_BUSY, STORE_UNAVAILABLE: wait details.retry_after_ms, try again. Only calls through Colibri are recorded, not your shell and file edits.`;

const READING = `Colibri is open for reading only: task_next_actions, task_list and task_get show the task queue, thought_record_list the thoughts, merkle_root proofs of them, audit_verify_chain whether all is intact; nothing can be created, claimed or changed, and calls are not recorded. An answer is {ok, data} or {ok, error}; a refusal has isError. server_health says phase2 when the store is open.`;

const MINIMAL = `Colibri runs without its store: only server_ping and server_health answer, and calls are not recorded. To use tasks, start it in another mode (COLIBRI_MODE).`;

export const INSTRUCTIONS: Readonly<Record<RuntimeMode, string>> = {
  FULL: WORKING,
  TEST: WORKING,
  READONLY: READING,
  MINIMAL,
};
