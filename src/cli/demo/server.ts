// The two example MCP servers of `colibri demo`, started as `node server.js almanac` or `calendar`. Both tell the day of the week, but
// their tools and arguments have different names, so that a route has something to translate.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const byClock = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay();

/** The day of the week by Sakamoto's rule, which counts January and February to the year before. */
const byRule = (date: string): number => {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] ?? 0;
  const y = month < 3 ? year - 1 : year;
  return (y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + shift + day) % 7;
};

const EXAMPLES = {
  almanac: { tool: 'weekday_of', argument: 'date', dayOf: byClock },
  calendar: { tool: 'day_name', argument: 'when', dayOf: byRule },
} as const;

const exampleServer = (name: keyof typeof EXAMPLES): McpServer => {
  const { tool, argument, dayOf } = EXAMPLES[name];
  const server = new McpServer({ name, version: '1.0.0' });
  server.registerTool(
    tool,
    {
      description: 'The day of the week on a date.',
      inputSchema: z.object({ [argument]: z.iso.date() }),
      outputSchema: z.object({ day: z.enum(DAYS), server: z.string(), pid: z.int() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (args) => {
      const day = DAYS[dayOf(String(args[argument]))] ?? DAYS[0];
      return {
        content: [{ type: 'text', text: `${day}, says ${name}` }],
        structuredContent: { day, server: name, pid: process.pid },
      };
    },
  );
  return server;
};

const name = process.argv[2];
if (name === 'almanac' || name === 'calendar') serveStdio(() => exampleServer(name));
else {
  process.stderr.write(`usage: demo-server ${Object.keys(EXAMPLES).join('|')}\n`);
  process.exitCode = 1;
}
