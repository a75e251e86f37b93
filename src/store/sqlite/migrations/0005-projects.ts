// Migration 5: projects get an id, so that two folders with the same name share nothing; the store gets one too, so that its logs belong
// to it and to no other.

import type { Migration } from '../../store.js';

export const projects: Migration = {
  version: 5,
  name: 'projects',
  sql: `
-- In the digest of every revision that has one. NULL: only the name is known, or there is no project.
ALTER TABLE tasks ADD COLUMN project_id TEXT;
-- Derived, in no digest: project_id, or '=' and the name, after what adoptions say. Every filter by project is one by this.
ALTER TABLE tasks ADD COLUMN owner TEXT;
UPDATE tasks SET owner = '=' || project WHERE project IS NOT NULL;

DROP INDEX tasks_list_project;
DROP INDEX tasks_list_both;
DROP INDEX tasks_ready_project;
DROP INDEX tasks_ready_both;
DROP INDEX tasks_blocked_project;
DROP INDEX tasks_by_key;
CREATE INDEX tasks_list_owner ON tasks (owner, status, priority_rank, n) WHERE owner IS NOT NULL;
CREATE INDEX tasks_list_both ON tasks (owner, assignee, status, priority_rank, n)
  WHERE owner IS NOT NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_ready_owner ON tasks (owner, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND owner IS NOT NULL;
CREATE INDEX tasks_ready_both ON tasks (owner, assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND owner IS NOT NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_blocked_owner ON tasks (owner, n) WHERE terminal = 0 AND open_deps > 0;
-- A key belongs to its project. Not unique: two owners become one when one takes the other over.
CREATE INDEX tasks_by_key ON tasks (idempotency_key, n) WHERE idempotency_key IS NOT NULL;

-- Whose tasks another project took over: those that had only its name, or an id that its folder had before.
CREATE TABLE adoptions (
  owner TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL,
  salt TEXT NOT NULL,
  -- The boot that did it.
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);

-- HMAC of the head under a key derived from the log's private key; NULL until the log's first record of format 5.
ALTER TABLE logs ADD COLUMN head_mac TEXT;

-- The projects whose processes have used this store, to find an id by its name. Not evidence: boot records say the same.
CREATE TABLE projects (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  dir TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  PRIMARY KEY (project_id, name)
);
CREATE INDEX projects_by_name ON projects (name);

-- Claims used to clear the flag of an expired lease without saying so. Now the claim's record names the lease, and a flag without such a
-- record is wrong, so all leases that were not given back are flagged again; the next claims clear those that are over.
UPDATE leases SET flagged = 1 WHERE released = 0;
UPDATE tasks SET leased = 1 WHERE n IN (SELECT task_n FROM leases WHERE released = 0);

-- One row: the id of this store, 32 hex digits. The first record of every log repeats it.
CREATE TABLE identity (store_id TEXT PRIMARY KEY NOT NULL);

-- Derived from the records of kind beside: how long each other log (its number) was when log no last named it.
CREATE TABLE beside (
  no INTEGER NOT NULL,
  other INTEGER NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (no, other)
);

-- Every start asks what a person has accepted.
CREATE INDEX actions_accepted ON actions (id) WHERE kind = 'accept';

-- The outcome of a call mostly follows its intent directly and is found there, so only the others need an index; an entry costs a page of
-- every commit. A query that looks for an outcome must repeat this condition, or it reads the whole table.
DROP INDEX actions_outcome;
CREATE UNIQUE INDEX actions_outcome ON actions (log_id, sequence_no) WHERE kind = 'call.exit' AND seq <> sequence_no + 1;
`,
};
