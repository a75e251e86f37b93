// Migration 6: a lease remembers which process took it and how the task was when its holder last used it, and claims find tasks that are
// assigned to nobody. The assignees that claims had set are taken back by domains/tasks/unassign.ts, which records each of them.

import type { Migration } from '../../store.js';

export const claims: Migration = {
  version: 6,
  name: 'claims',
  sql: `
-- In the digest of every revision that has them. NULL: the lease was granted before, or nobody held one before it.
-- The process that the lease was granted to.
ALTER TABLE leases ADD COLUMN instance TEXT;
-- The version of the task after the last call with the lease's token.
ALTER TABLE leases ADD COLUMN task_version INTEGER;
-- Who held the task's lease before.
ALTER TABLE leases ADD COLUMN previous TEXT;
-- What somebody holds, and what somebody gave back: giving a lease back ends it at that moment.
CREATE INDEX leases_by_holder ON leases (holder, until) WHERE released = 0;
CREATE INDEX leases_by_giver ON leases (holder, until) WHERE released = 1;

-- A claim takes tasks of nobody or of the claimer, so these hold the tasks of nobody too.
DROP INDEX tasks_ready_assignee;
DROP INDEX tasks_ready_both;
-- What somebody holds is found by its lease, which need not be on a task that is assigned to the holder.
DROP INDEX tasks_held;
CREATE INDEX tasks_ready_assignee ON tasks (assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0;
CREATE INDEX tasks_ready_both ON tasks (owner, assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND owner IS NOT NULL;
`,
};
