// The migrations in order. A released file is never edited, because ledgers contain its checksum.

import type { Migration } from '../../store.js';
import { ledger } from './0001-ledger.js';
import { taskTables } from './0002-tasks.js';
import { proofs } from './0003-proofs.js';
import { switchboard } from './0004-switchboard.js';
import { projects } from './0005-projects.js';

export const MIGRATIONS: readonly Migration[] = [ledger, taskTables, proofs, switchboard, projects];
