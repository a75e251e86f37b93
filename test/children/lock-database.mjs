// Holds the write lock of a database for a while: node lock-database.mjs <path> <ms>. Says "held" and "freed".
import Database from 'better-sqlite3';

const [path, ms] = process.argv.slice(2);
const db = new Database(path, { timeout: 0 });
db.exec('BEGIN IMMEDIATE');
process.send('held');
setTimeout(() => {
  db.exec('ROLLBACK');
  process.send('freed');
  process.disconnect();
}, Number(ms));
