// Migration 9: what reputation is made of, derived from the records that are there, and who created a task.

import type { Migration } from '../../store.js';

export const reputationOfPostgres: Migration = {
  version: 9,
  name: 'reputation',
  sql: `
ALTER TABLE tasks ADD COLUMN creator TEXT COLLATE "C";
ALTER TABLE leases ADD COLUMN noted BIGINT;
ALTER TABLE leases ADD COLUMN handed TEXT COLLATE "C";

CREATE TABLE reputation_events (
  node_id TEXT COLLATE "C" NOT NULL,
  domain TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  record BIGINT NOT NULL,
  place BIGINT NOT NULL,
  good BIGINT NOT NULL,
  why TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX reputation_history ON reputation_events (node_id, domain, at, record, place);

CREATE TABLE reputation_days (
  node_id TEXT COLLATE "C" NOT NULL,
  domain TEXT COLLATE "C" NOT NULL,
  day BIGINT NOT NULL,
  successes BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  PRIMARY KEY (node_id, domain, day)
);
CREATE INDEX reputation_by_domain ON reputation_days (domain, day);

INSERT INTO reputation_events (node_id, domain, at, record, place, good, why)
  SELECT 'server:' || (one.value ->> 'server'), 'execution', a.at, a.id, one.place - 1,
    CASE WHEN one.value ->> 'how' IN ('result', 'is_error', 'error') THEN 1 ELSE 0 END, one.value ->> 'how'
  FROM actions a, jsonb_array_elements(a.body::jsonb -> 'route' -> 'attempts') WITH ORDINALITY AS one (value, place)
  WHERE a.kind = 'call.exit' AND one.value ->> 'how' IN ('result', 'is_error', 'error', 'timeout', 'lost', 'server_error')
  ORDER BY a.id, one.place;
INSERT INTO reputation_days (node_id, domain, day, successes, failures)
  SELECT node_id, domain, floor(extract(epoch FROM at::timestamptz) / 86400)::BIGINT AS day, SUM(good), SUM(1 - good)
  FROM reputation_events GROUP BY 1, 2, 3;
`,
};
