// The migrations of the PostgreSQL schema in order. The file of a released migration is never edited, because logs contain its checksum.

import type { Migration } from '../../store.js';
import { format7 } from './0007-format-7.js';
import { definitionsOfPostgres } from './0008-definitions.js';
import { reputationOfPostgres } from './0009-reputation.js';
import { approvalsOfPostgres } from './0010-approvals.js';
import { consensusOfPostgres } from './0011-consensus.js';

export const MIGRATIONS_OF_POSTGRES: readonly Migration[] = [
  format7,
  definitionsOfPostgres,
  reputationOfPostgres,
  approvalsOfPostgres,
  consensusOfPostgres,
];
