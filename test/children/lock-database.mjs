// Holds the write lock of a database until it is told to let go: node lock-database.mjs <path>
import Database from 'better-sqlite3';

const db = new Database(process.argv[2], { timeout: 0 });
db.exec('BEGIN IMMEDIATE');
process.send('held');
process.once('message', () => {
  db.exec('ROLLBACK');
  process.disconnect();
});
