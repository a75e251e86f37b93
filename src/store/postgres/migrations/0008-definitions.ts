// Migration 8: the definitions of tools that calls were made with.

import type { Migration } from '../../store.js';

export const definitionsOfPostgres: Migration = {
  version: 8,
  name: 'definitions',
  sql: `
CREATE TABLE definitions (
  digest TEXT COLLATE "C" NOT NULL,
  json TEXT COLLATE "C",
  salt TEXT COLLATE "C" NOT NULL,
  log_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (digest)
);
`,
};
