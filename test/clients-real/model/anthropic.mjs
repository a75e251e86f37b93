// The Messages API as Claude Code uses it: reads what the model is shown out of a request, and writes the model's next turn.
import { asText, events } from './text.mjs';

const toolOf = ({ name, description = '', input_schema: schema = {} }) => ({ name, description, schema });

const blocks = (content) => (Array.isArray(content) ? content : [{ type: 'text', text: content }]);

const resultOf = ({ tool_use_id: id, content, is_error: isError }) => ({
  id,
  text: asText(content),
  isError: isError === true,
});

const shownIn = ({ system = '', messages }) => asText([system, ...messages.map(({ content }) => content)]);

const read = (body) => ({
  tools: (body.tools ?? []).map(toolOf),
  results: body.messages
    .flatMap(({ content }) => blocks(content))
    .filter(({ type }) => type === 'tool_result')
    .map(resultOf),
  shown: shownIn(body),
  isStream: body.stream === true,
});

const blockOf = (call) => ({ type: 'tool_use', id: call.id, name: call.tool.name, input: call.args });

const contentOf = ({ calls, text }) => (calls === undefined ? [{ type: 'text', text }] : calls.map(blockOf));

const messageOf = (turn, { model }) => ({
  id: `msg_${turn.id}`,
  type: 'message',
  role: 'assistant',
  model,
  content: contentOf(turn),
  stop_reason: turn.calls === undefined ? 'end_turn' : 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 10 },
});

const deltaOf = (block) =>
  block.type === 'text'
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };

const emptied = (block) => (block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} });

const streamOf = (message) => [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  ...message.content.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: emptied(block) },
    { type: 'content_block_delta', index, delta: deltaOf(block) },
    { type: 'content_block_stop', index },
  ]),
  {
    type: 'message_delta',
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: 10 },
  },
  { type: 'message_stop' },
];

export const anthropic = {
  marksErrors: true,
  takes: (path) => path.endsWith('/messages'),
  read,
  write: (turn, body) => {
    const message = messageOf(turn, body);
    return body.stream ? events(streamOf(message), { named: true }) : { json: message };
  },
};
