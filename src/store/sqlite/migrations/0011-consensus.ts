// Migration 11: what several agents decide, and who signed what.

import type { Migration } from '../../store.js';

export const consensus: Migration = {
  version: 11,
  name: 'consensus',
  sql: `
-- Evidence. Questions that several agents decide, those of this store and those that were heard of from others.
CREATE TABLE rounds (
  round_id TEXT PRIMARY KEY NOT NULL,
  -- The id of the store that decides the round.
  home TEXT NOT NULL,
  -- The digest of the statement that is voted on.
  root TEXT NOT NULL,
  -- Signed statements, as they were signed: the proposal, what was drawn, and the decision.
  proposal TEXT NOT NULL,
  drawing TEXT,
  decision TEXT,
  state TEXT NOT NULL,
  result TEXT,
  -- The names that may vote, as JSON. NULL: not drawn yet.
  voters TEXT,
  need INTEGER NOT NULL,
  expires_at TEXT NOT NULL,
  requester TEXT,
  -- The process that proposed the round, and the processes of its client as JSON. NULL: heard of.
  instance TEXT,
  asker TEXT,
  -- 1: a voter of a decided round was found to have voted twice.
  contested INTEGER NOT NULL,
  -- Where the record of the decision is.
  decided_log TEXT,
  decided_seq INTEGER,
  -- Whose signature under a checkpoint that covers the decision was the first that this store knew.
  cosigned_by TEXT,
  -- When this store learned what the row says.
  known_at TEXT NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);

-- Evidence. The signed votes on rounds, and the signed statements that a voter tried to vote twice.
CREATE TABLE votes (
  -- The SHA-256 of the signed statement.
  vote_id TEXT PRIMARY KEY NOT NULL,
  round_id TEXT NOT NULL,
  voter TEXT NOT NULL,
  vote TEXT NOT NULL,
  root TEXT NOT NULL,
  form TEXT NOT NULL,
  -- claimed or enrolled.
  identity TEXT NOT NULL,
  statement TEXT NOT NULL,
  -- The process of the voter. NULL: heard of.
  instance TEXT,
  -- The reason, as whose digest the statement has SHA-256(reason_salt, reason). Not in the digest of the row.
  reason TEXT,
  reason_salt TEXT,
  known_at TEXT NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);

-- Evidence. Who may vote on approvals, with the key that its votes are signed with.
CREATE TABLE voters (
  name TEXT PRIMARY KEY NOT NULL,
  public_key TEXT NOT NULL,
  enrolled_at TEXT NOT NULL,
  enrolled_by TEXT NOT NULL,
  revoked_at TEXT,
  revoked_by TEXT,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);

-- Evidence. Checkpoints of logs, and signatures of others under them, that stores tell each other.
CREATE TABLE heard (
  -- The SHA-256 of the signed statement.
  event_id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  -- The log that the checkpoint is of, with its size and root then.
  log TEXT NOT NULL,
  size INTEGER NOT NULL,
  root TEXT NOT NULL,
  statement TEXT NOT NULL,
  known_at TEXT NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);

-- The round whose votes decide, if several must allow the call.
ALTER TABLE approvals ADD COLUMN round TEXT;

CREATE INDEX rounds_by_root ON rounds (root);
CREATE INDEX rounds_open ON rounds (expires_at) WHERE state = 'drawing' OR state = 'open';
CREATE INDEX votes_by_round ON votes (round_id, voter);
CREATE UNIQUE INDEX voters_by_key ON voters (public_key);
CREATE INDEX heard_by_log ON heard (log, size);
`,
};
