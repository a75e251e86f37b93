// Has tools when it is started for the first time, and none after that. The file COUNT remembers.
import { appendFileSync, readFileSync } from 'node:fs';
import { serve, tool } from './lines.mjs';

appendFileSync(process.env.COUNT, 'x');
serve({ tools: readFileSync(process.env.COUNT, 'utf8').length === 1 ? [tool('echo')] : [] });
