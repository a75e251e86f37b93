// Migration 11: what several agents decide, and who signed what.

import type { Migration } from '../../store.js';

export const consensusOfPostgres: Migration = {
  version: 11,
  name: 'consensus',
  sql: `
CREATE TABLE rounds (
  round_id TEXT COLLATE "C" NOT NULL,
  home TEXT COLLATE "C" NOT NULL,
  root TEXT COLLATE "C" NOT NULL,
  proposal TEXT COLLATE "C" NOT NULL,
  drawing TEXT COLLATE "C",
  decision TEXT COLLATE "C",
  state TEXT COLLATE "C" NOT NULL,
  result TEXT COLLATE "C",
  voters TEXT COLLATE "C",
  need BIGINT NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  requester TEXT COLLATE "C",
  instance TEXT COLLATE "C",
  asker TEXT COLLATE "C",
  contested BIGINT NOT NULL,
  decided_log TEXT COLLATE "C",
  decided_seq BIGINT,
  cosigned_by TEXT COLLATE "C",
  known_at TEXT COLLATE "C" NOT NULL,
  rev BIGINT NOT NULL,
  salt TEXT COLLATE "C" NOT NULL,
  log_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (round_id)
);

CREATE TABLE votes (
  vote_id TEXT COLLATE "C" NOT NULL,
  round_id TEXT COLLATE "C" NOT NULL,
  voter TEXT COLLATE "C" NOT NULL,
  vote TEXT COLLATE "C" NOT NULL,
  root TEXT COLLATE "C" NOT NULL,
  form TEXT COLLATE "C" NOT NULL,
  identity TEXT COLLATE "C" NOT NULL,
  statement TEXT COLLATE "C" NOT NULL,
  instance TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  reason_salt TEXT COLLATE "C",
  known_at TEXT COLLATE "C" NOT NULL,
  rev BIGINT NOT NULL,
  salt TEXT COLLATE "C" NOT NULL,
  log_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (vote_id)
);

CREATE TABLE voters (
  name TEXT COLLATE "C" NOT NULL,
  public_key TEXT COLLATE "C" NOT NULL,
  enrolled_at TEXT COLLATE "C" NOT NULL,
  enrolled_by TEXT COLLATE "C" NOT NULL,
  revoked_at TEXT COLLATE "C",
  revoked_by TEXT COLLATE "C",
  rev BIGINT NOT NULL,
  salt TEXT COLLATE "C" NOT NULL,
  log_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE heard (
  event_id TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  log TEXT COLLATE "C" NOT NULL,
  size BIGINT NOT NULL,
  root TEXT COLLATE "C" NOT NULL,
  statement TEXT COLLATE "C" NOT NULL,
  known_at TEXT COLLATE "C" NOT NULL,
  rev BIGINT NOT NULL,
  salt TEXT COLLATE "C" NOT NULL,
  log_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (event_id)
);

ALTER TABLE approvals ADD COLUMN round TEXT COLLATE "C";

CREATE INDEX rounds_by_root ON rounds (root);
CREATE INDEX rounds_open ON rounds (expires_at) WHERE state = 'drawing' OR state = 'open';
CREATE INDEX votes_by_round ON votes (round_id, voter);
CREATE UNIQUE INDEX voters_by_key ON voters (public_key);
CREATE INDEX heard_by_log ON heard (log, size);
`,
};
