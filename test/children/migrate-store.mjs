// Opens and migrates a store when told to go, as one of several racing processes; sends the steps it did itself.
import { openSqliteStore } from '../../build/store/sqlite/open.js';

process.send('ready');
process.once('message', async () => {
  const store = await openSqliteStore({ path: process.argv[2] });
  const steps = [];
  await store.migrate(async (tx, all) => {
    for (const { to } of all) {
      steps.push(to);
      await tx.run('INSERT INTO tiles VALUES (?, 0, ?, ?)', 'migrated', to, String(process.pid));
    }
  });
  const tables = store.tableCount;
  await store.close();
  process.send({ steps, tables });
  process.disconnect();
});
