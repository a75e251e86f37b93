// `look` is read-only: it answers at once, with an error if SAYS is `error`, and not at all while the file that HANG names is there.
import { existsSync } from 'node:fs';
import { serve, text, tool } from './lines.mjs';

serve({
  tools: [{ ...tool('look'), annotations: { readOnlyHint: true } }],
  call: ({ arguments: args }) => {
    if (process.env.HANG && existsSync(process.env.HANG)) return undefined;
    if (args?.wrong) throw Object.assign(new Error('wrong'), { code: -32602 });
    return { ...text(process.env.SAYS ?? 'well'), ...(process.env.SAYS === 'error' && { isError: true }) };
  },
});
