// Migration 1: the tables of the ledger.

import type { Migration } from '../../store.js';

export const ledger: Migration = {
  version: 1,
  name: 'ledger',
  sql: `
CREATE TABLE logs (
  no INTEGER PRIMARY KEY,
  log_id TEXT NOT NULL UNIQUE,
  node TEXT NOT NULL,
  public_key TEXT NOT NULL,
  format INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frontier TEXT NOT NULL,
  opened_at TEXT NOT NULL,
  closed_at TEXT
);
-- One open log per node: of two processes that open one at once, the insert decides.
CREATE UNIQUE INDEX logs_open_by_node ON logs (node) WHERE closed_at IS NULL;

CREATE TABLE actions (
  -- logs.no * 2^32 + seq: the records of a log lie side by side in their order, without an index beside the table.
  id INTEGER PRIMARY KEY,
  log_id TEXT NOT NULL REFERENCES logs (log_id),
  seq INTEGER NOT NULL,
  sequence_no INTEGER,
  kind TEXT NOT NULL,
  tool TEXT,
  at TEXT NOT NULL,
  body TEXT NOT NULL,
  leaf TEXT NOT NULL
);
-- One outcome per call. An intent needs no index: its sequence_no is its seq.
CREATE UNIQUE INDEX actions_outcome ON actions (log_id, sequence_no) WHERE kind = 'call.exit';

CREATE TABLE payloads (
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  salt TEXT NOT NULL,
  json TEXT,
  PRIMARY KEY (log_id, seq)
);

CREATE TABLE tiles (
  log_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (log_id, level, idx)
);

CREATE TABLE instances (
  instance TEXT PRIMARY KEY NOT NULL,
  log_id TEXT NOT NULL,
  boot_seq INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  started_at TEXT NOT NULL
);
`,
};
