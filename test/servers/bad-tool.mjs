// One definition that no schema accepts among good ones, and entries that are no tools.
import { serve, tool } from './lines.mjs';

serve({ tools: [tool('good'), { name: 'bad', inputSchema: 'none', extra: 1 }, null, { inputSchema: {} }] });
