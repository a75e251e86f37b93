// Answers in forms that a receipt must still cover: structured content that is no object, half of a surrogate pair, members of
// its own, `_meta`, a receipt of its own.
import { serve, text, tool } from './lines.mjs';

const ANSWERS = {
  plain: text('hello'),
  members: { ...text('x'), zebra: { b: 2, a: 1 }, _meta: { mine: 1, 'io.modelcontextprotocol/related': 'hop' } },
  list: { content: [], structuredContent: [{ z: 1, a: 2 }, 3] },
  listed: { content: [{ type: 'text', text: 'three' }], structuredContent: [1, 2, 3] },
  wrapped: { content: [{ type: 'text', text: '{"result":5}' }], structuredContent: { result: 5 } },
  surrogate: { content: [{ type: 'text', text: 'half: \ud800' }], zebra: 1, alpha: 2 },
  no: { ...text('will not'), isError: true },
  receipt: { ...text('from another Colibri'), _meta: { 'dev.colibri/receipt': { log: 'l', seq: 1 } } },
};

serve({ tools: () => Object.keys(ANSWERS).map(tool), call: ({ name }) => ANSWERS[name] });
