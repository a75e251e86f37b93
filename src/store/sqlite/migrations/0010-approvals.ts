// Migration 10: who allowed which call.

import type { Migration } from '../../store.js';

export const approvals: Migration = {
  version: 10,
  name: 'approvals',
  sql: `
-- Evidence. What people were asked before a tool of another server was called, and what they answered.
CREATE TABLE approvals (
  approval_id TEXT PRIMARY KEY NOT NULL,
  -- HMAC of what was asked for, exactly: server, tool, arguments as they will be sent, definition, project.
  exact TEXT NOT NULL,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  args_digest TEXT NOT NULL,
  definition TEXT NOT NULL,
  state TEXT NOT NULL,
  via TEXT,
  answered_by TEXT,
  claimed INTEGER NOT NULL,
  reason TEXT,
  call_id TEXT NOT NULL,
  used_by TEXT,
  instance TEXT NOT NULL,
  -- The processes that are the asking client's, as JSON: nothing below them may answer.
  asker TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  -- The arguments without secrets, for whoever is asked. NULL: nobody has to look at them any more. Not in the row's digest.
  args TEXT,
  args_salt TEXT NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);
CREATE INDEX approvals_by_exact ON approvals (exact);
CREATE INDEX approvals_waiting ON approvals (asked_at) WHERE state = 'asked' OR state = 'granted';
`,
};
