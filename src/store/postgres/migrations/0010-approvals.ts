// Migration 10: who allowed which call.

import type { Migration } from '../../store.js';

export const approvalsOfPostgres: Migration = {
  version: 10,
  name: 'approvals',
  sql: `
CREATE TABLE approvals (
  approval_id TEXT COLLATE "C" NOT NULL,
  exact TEXT COLLATE "C" NOT NULL,
  server TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  args_digest TEXT COLLATE "C" NOT NULL,
  definition TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  via TEXT COLLATE "C",
  answered_by TEXT COLLATE "C",
  claimed BIGINT NOT NULL,
  reason TEXT COLLATE "C",
  call_id TEXT COLLATE "C" NOT NULL,
  used_by TEXT COLLATE "C",
  instance TEXT COLLATE "C" NOT NULL,
  asker TEXT COLLATE "C" NOT NULL,
  asked_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  args TEXT COLLATE "C",
  args_salt TEXT COLLATE "C" NOT NULL,
  rev BIGINT NOT NULL,
  salt TEXT COLLATE "C" NOT NULL,
  log_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (approval_id)
);
CREATE INDEX approvals_by_exact ON approvals (exact);
CREATE INDEX approvals_waiting ON approvals (asked_at) WHERE state = 'asked' OR state = 'granted';
`,
};
