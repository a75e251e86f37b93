// Migration 3: the table of signed checkpoints, and indexes for queries about the trail.

import type { Migration } from '../../store.js';

export const proofs: Migration = {
  version: 3,
  name: 'proofs',
  sql: `
CREATE TABLE checkpoints (
  log_id TEXT NOT NULL REFERENCES logs (log_id),
  -- Dense from 1: a checkpoint that was taken out leaves a hole.
  no INTEGER NOT NULL,
  size INTEGER NOT NULL,
  -- The signed note, as it was given away.
  note TEXT NOT NULL,
  PRIMARY KEY (log_id, no)
);
CREATE UNIQUE INDEX checkpoints_by_size ON checkpoints (log_id, size);

CREATE INDEX sessions_open_by_opener ON sessions (opened_by, started_at) WHERE finalized_at IS NULL;
CREATE INDEX thoughts_in_log ON thoughts (log_id, seq);
`,
};
