// Migration 4: the tables in which the switchboard keeps the tools and the current state of other servers.

import type { Migration } from '../../store.js';

export const switchboard: Migration = {
  version: 4,
  name: 'switchboard',
  sql: `
CREATE TABLE catalogue (
  server TEXT NOT NULL,
  -- Digest of how the server is reached: another command may offer other tools under the same name.
  connection TEXT NOT NULL,
  -- What the client offered when the tools were read; some servers list other tools then.
  client TEXT NOT NULL,
  tools TEXT NOT NULL,
  digest TEXT NOT NULL,
  read_at TEXT NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (connection, client, server)
);

-- Live state for other processes, not evidence.
CREATE TABLE server_states (
  instance TEXT NOT NULL,
  -- Empty: the switchboard file itself.
  server TEXT NOT NULL,
  place INTEGER NOT NULL,
  state TEXT NOT NULL,
  since TEXT NOT NULL,
  reason TEXT,
  next_at TEXT,
  calls INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  noise INTEGER NOT NULL,
  notes TEXT NOT NULL,
  p50_ms INTEGER,
  p99_ms INTEGER,
  at TEXT NOT NULL,
  PRIMARY KEY (instance, server)
);

-- Which era of the protocol a connection speaks; asking costs a second process. Not evidence.
CREATE TABLE server_eras (
  connection TEXT PRIMARY KEY NOT NULL,
  era TEXT NOT NULL,
  version TEXT,
  at INTEGER NOT NULL
);
`,
};
