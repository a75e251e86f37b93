// Preloaded into a process (NODE_OPTIONS) to let it run on another machine, as far as the name of the machine tells.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

os.hostname = () => process.env.TEST_HOST;
syncBuiltinESMExports();
