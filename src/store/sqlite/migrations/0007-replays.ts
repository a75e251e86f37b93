// Migration 7: the idempotency keys of task_update.

import type { Migration } from '../../store.js';

export const replays: Migration = {
  version: 7,
  name: 'replays',
  sql: `
-- Evidence. Which call changed a task with which key, and a digest of what that call asked for.
CREATE TABLE replays (
  task_n INTEGER NOT NULL REFERENCES tasks (n),
  idempotency_key TEXT NOT NULL,
  -- Salted with the salts of the call's thoughts, or with the row's own salt if the call had no note.
  request_digest TEXT NOT NULL,
  call_no INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (task_n, idempotency_key)
);
`,
};
