// Migration 8: the definitions of tools that calls were made with.

import type { Migration } from '../../store.js';

export const definitions: Migration = {
  version: 8,
  name: 'definitions',
  sql: `
-- Evidence. What clients were told about tools, and what servers said about tools that they changed.
CREATE TABLE definitions (
  -- SHA-256 of json.
  digest TEXT PRIMARY KEY NOT NULL,
  -- NULL: erased.
  json TEXT,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);
`,
};
