// A living instance: holds its lock until it is killed or told to close. node hold-instance.mjs <path> <instance>
import { openSqliteStore } from '../../build/store/sqlite/open.js';

const [path, instance] = process.argv.slice(2);
const store = await openSqliteStore({ path });
await store.instances.hold(instance);
process.send('held');
process.once('message', async () => {
  await store.close();
  process.disconnect();
});
