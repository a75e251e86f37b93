// Opens a store with the rights of the user it runs as and says what came of it:
// node open-as-nobody.mjs <path> full|read. Run with uid 65534; root is never refused anything.
import { openSqliteStore } from '../../build/store/sqlite/open.js';

const [path, mode] = process.argv.slice(2);
const warnings = [];
const logger = { warn: (message) => warnings.push(message) };
try {
  const store = await openSqliteStore({ path, readOnly: mode === 'read', logger });
  const rows = await store.read((tx) => tx.all('SELECT idx FROM tiles ORDER BY idx'));
  const write = await store.write((tx) => tx.run('DELETE FROM tiles')).catch((error) => error.code);
  await store.close();
  process.send({ rows: rows.map((row) => row.idx), write, warnings });
} catch (error) {
  process.send({ code: error.code, message: error.message, remedy: error.remedy });
}
process.disconnect();
