// Migration 9: what reputation is made of, derived from the records that are there, and who created a task.

import type { Migration } from '../../store.js';

export const reputation: Migration = {
  version: 9,
  name: 'reputation',
  sql: `
-- In the digest of every revision that has one: the client whose call created the task. NULL: older than format 9, or the client has no name.
ALTER TABLE tasks ADD COLUMN creator TEXT;
-- In the digest of every revision that has one: 1 if the lease was given back with a note; who gave the task back before, with a note.
ALTER TABLE leases ADD COLUMN noted INTEGER;
ALTER TABLE leases ADD COLUMN handed TEXT;

-- Derived from the outcomes of calls: every success and failure of a node (an agent, or server:<name>).
CREATE TABLE reputation_events (
  node_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  at TEXT NOT NULL,
  -- The id of the outcome, and the place of the event in it.
  record INTEGER NOT NULL,
  place INTEGER NOT NULL,
  -- 1: a success, 0: a failure.
  good INTEGER NOT NULL,
  why TEXT NOT NULL
);
CREATE UNIQUE INDEX reputation_history ON reputation_events (node_id, domain, at, record, place);

-- Derived: the sums of each UTC day, counted from 1970.
CREATE TABLE reputation_days (
  node_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  day INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  PRIMARY KEY (node_id, domain, day)
);
CREATE INDEX reputation_by_domain ON reputation_days (domain, day);

INSERT INTO reputation_events (node_id, domain, at, record, place, good, why)
  SELECT 'server:' || json_extract(one.value, '$.server'), 'execution', a.at, a.id, one.key,
    json_extract(one.value, '$.how') IN ('result', 'is_error', 'error'), json_extract(one.value, '$.how')
  FROM actions a, json_each(a.body, '$.route.attempts') one
  WHERE a.kind = 'call.exit' AND json_extract(one.value, '$.how') IN ('result', 'is_error', 'error', 'timeout', 'lost', 'server_error')
  ORDER BY a.id, one.key;
INSERT INTO reputation_days (node_id, domain, day, successes, failures)
  SELECT node_id, domain, CAST(strftime('%s', at) AS INTEGER) / 86400 AS day, SUM(good), SUM(1 - good)
  FROM reputation_events GROUP BY node_id, domain, day;
`,
};
