// Lists the tools in the file that TOOLS names. Every call of them is answered.
import { readFileSync } from 'node:fs';
import { serve, text } from './lines.mjs';

serve({ tools: JSON.parse(readFileSync(process.env.TOOLS, 'utf8')), call: () => text('called') });
