// The migrations of the database schema in order. The file of a released migration is never edited, because logs contain its checksum.

import type { Migration } from '../../store.js';
import { ledger } from './0001-ledger.js';
import { taskTables } from './0002-tasks.js';
import { proofs } from './0003-proofs.js';
import { switchboard } from './0004-switchboard.js';
import { projects } from './0005-projects.js';
import { claims } from './0006-claims.js';
import { replays } from './0007-replays.js';
import { definitions } from './0008-definitions.js';
import { reputation } from './0009-reputation.js';
import { approvals } from './0010-approvals.js';
import { consensus } from './0011-consensus.js';

export const MIGRATIONS: readonly Migration[] = [
  ledger,
  taskTables,
  proofs,
  switchboard,
  projects,
  claims,
  replays,
  definitions,
  reputation,
  approvals,
  consensus,
];
