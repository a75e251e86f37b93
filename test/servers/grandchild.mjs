// Starts a process of its own, which outlives it unless somebody ends the whole group; writes both ids to its log.
import { spawn } from 'node:child_process';
import { log, serve } from './lines.mjs';

const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
log(`pids ${process.pid} ${child.pid}`);
serve({ call: () => process.exit(1) });
