// The versions of the schema that this program knows, on any engine, and whether a store was migrated by their SQL.
import { MIGRATIONS_OF_POSTGRES } from '../store/postgres/migrations/index.js';
import { checksumOf } from '../store/sqlite/migrate.js';
import { MIGRATIONS } from '../store/sqlite/migrations/index.js';
import type { LogWalk } from './log/log-walk.js';
import { addFinding } from './verdict/finding-list.js';

/** The newest format that this version knows. */
export const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

/** The checksums that the `migrate` record of each version may have. A store that was moved has the records of the engine it came from. */
const CHECKSUMS: ReadonlySet<string> = new Set(
  [...MIGRATIONS, ...MIGRATIONS_OF_POSTGRES].map((one) => `${one.version} ${checksumOf(one)}`),
);

/** Reports migrations by other SQL than that of their version. */
export const checkChecksums = (walks: readonly LogWalk[]): void => {
  for (const { state, history, found } of walks) {
    for (const { seq, to, checksum } of history.migrations) {
      if (CHECKSUMS.has(`${String(to)} ${String(checksum)}`)) continue;
      const where = { log: state.log, seq: Number(seq) };
      addFinding(
        found,
        'record',
        where,
        `The record has another checksum than the migration to version ${String(to)}.`,
      );
    }
  }
};
