// 3,000 tools in pages of 500; the last page gives its own cursor again.
import { serve, tool } from './lines.mjs';

const PAGE = 500;
const all = Array.from({ length: 3_000 }, (_, n) => tool(`tool${n}`));
serve({
  answers: {
    'tools/list': ({ cursor = '0' }) => {
      const from = Number(cursor);
      const next = Math.min(from + PAGE, all.length - PAGE);
      return { tools: all.slice(from, from + PAGE), nextCursor: String(next) };
    },
  },
});
