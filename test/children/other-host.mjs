// Preloaded into a process (NODE_OPTIONS) to let it run on another machine, as far as the names of the machine and of the user tell.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { userInfo } = os;
os.hostname = () => process.env.TEST_HOST;
os.userInfo = (options) => ({
  ...userInfo(options),
  ...(process.env.TEST_USER && { username: process.env.TEST_USER }),
});
syncBuiltinESMExports();
