// Preloaded into a process (NODE_OPTIONS) to set its clocks: TEST_CLOCK names a file that says how far they are ahead, also while the process runs.
import { readFileSync } from 'node:fs';

const ahead = () => JSON.parse(readFileSync(process.env.TEST_CLOCK, 'utf8'));
const [wall, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
Date.now = () => wall() + ahead().wallMs;
performance.now = () => monotonic() + ahead().monotonicMs;
