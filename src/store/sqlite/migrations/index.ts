// The schema, in order. A file that was released is never edited: its checksum is in ledgers.

import type { Migration } from '../../store.js';
import { ledger } from './0001-ledger.js';
import { taskTables } from './0002-tasks.js';
import { proofs } from './0003-proofs.js';
import { switchboard } from './0004-switchboard.js';
import { projects } from './0005-projects.js';

export const MIGRATIONS: readonly Migration[] = [ledger, taskTables, proofs, switchboard, projects];
