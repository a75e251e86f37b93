// Migration 2: the tables of tasks, their dependencies and leases, and of the trail (sessions and thoughts).

import type { Migration } from '../../store.js';

export const taskTables: Migration = {
  version: 2,
  name: 'tasks',
  sql: `
CREATE TABLE tasks (
  -- AUTOINCREMENT: a number never comes back, not even after the last row was deleted.
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  description TEXT,
  project TEXT,
  status TEXT NOT NULL,
  priority TEXT NOT NULL,
  assignee TEXT,
  attempt INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  idempotency_key TEXT,
  request_digest TEXT,
  call_no INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- Derived, in no digest.
  open_deps INTEGER NOT NULL,
  leased INTEGER NOT NULL,
  terminal INTEGER NOT NULL,
  priority_rank INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  search_text TEXT NOT NULL
);
CREATE UNIQUE INDEX tasks_by_key ON tasks (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- The list: every combination of filters walks one of these in the order of n. A task without project or assignee is only in the
-- first.
CREATE INDEX tasks_list ON tasks (status, priority_rank, n);
CREATE INDEX tasks_list_project ON tasks (project, status, priority_rank, n) WHERE project IS NOT NULL;
CREATE INDEX tasks_list_assignee ON tasks (assignee, status, priority_rank, n) WHERE assignee IS NOT NULL;
CREATE INDEX tasks_list_both ON tasks (project, assignee, status, priority_rank, n)
  WHERE project IS NOT NULL AND assignee IS NOT NULL;

-- The queue: what can be worked on now, in the order in which it is handed out.
CREATE INDEX tasks_ready ON tasks (priority_rank, stage, n) WHERE terminal = 0 AND open_deps = 0 AND leased = 0;
CREATE INDEX tasks_ready_project ON tasks (project, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND project IS NOT NULL;
CREATE INDEX tasks_ready_assignee ON tasks (assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND assignee IS NOT NULL;
CREATE INDEX tasks_ready_both ON tasks (project, assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND project IS NOT NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_held ON tasks (assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 1 AND assignee IS NOT NULL;
CREATE INDEX tasks_blocked ON tasks (n) WHERE terminal = 0 AND open_deps > 0;
CREATE INDEX tasks_blocked_project ON tasks (project, n) WHERE terminal = 0 AND open_deps > 0;

CREATE TABLE task_dependencies (
  task_n INTEGER NOT NULL REFERENCES tasks (n),
  depends_on_n INTEGER NOT NULL REFERENCES tasks (n),
  PRIMARY KEY (task_n, depends_on_n)
);
CREATE INDEX task_dependents ON task_dependencies (depends_on_n, task_n);

CREATE TABLE leases (
  task_n INTEGER PRIMARY KEY NOT NULL REFERENCES tasks (n),
  token INTEGER NOT NULL,
  holder TEXT NOT NULL,
  until TEXT NOT NULL,
  minutes INTEGER NOT NULL,
  released INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- Derived: 1 while the queue looks past the task.
  flagged INTEGER NOT NULL
);
CREATE INDEX leases_by_end ON leases (until) WHERE flagged = 1;

CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY NOT NULL,
  intent TEXT NOT NULL,
  task_id TEXT,
  agent_id TEXT,
  opened_by TEXT NOT NULL,
  started_at TEXT NOT NULL,
  genesis_hash TEXT NOT NULL,
  finalized_at TEXT,
  root TEXT,
  record_count INTEGER,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);
CREATE INDEX sessions_open_by_task ON sessions (task_id, started_at) WHERE finalized_at IS NULL;

CREATE TABLE thoughts (
  thought_id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (session_id),
  place INTEGER NOT NULL,
  type TEXT NOT NULL,
  task_id TEXT,
  agent_id TEXT,
  skill_name TEXT,
  skill_digest TEXT,
  content_digest TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  content TEXT,
  content_salt TEXT,
  idempotency_key TEXT,
  request_digest TEXT,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- Derived: the task's attempt when it was recorded.
  attempt INTEGER
);
CREATE UNIQUE INDEX thoughts_in_session ON thoughts (session_id, place);
CREATE UNIQUE INDEX thoughts_by_key ON thoughts (session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX thoughts_by_task ON thoughts (task_id, attempt);
`,
};
