// OpenAI's Responses API, as Codex and the Agents SDK use it. Tools may stand in a namespace; a call then names both.
import { asText, events } from './text.mjs';

const toolOf = ({ name, description = '', parameters: schema = {}, strict }, namespace) => ({
  name,
  namespace,
  description,
  schema,
  strict,
});

const toolsOf = (tool) => {
  if (tool.type === 'namespace') return tool.tools.map((one) => toolOf(one, tool.name));
  return tool.type === 'function' ? [toolOf(tool)] : [];
};

const items = ({ input }) => (Array.isArray(input) ? input : [{ content: input }]);

const read = (body) => ({
  tools: (body.tools ?? []).flatMap(toolsOf),
  results: items(body)
    .filter(({ type }) => type === 'function_call_output')
    .map(({ call_id: id, output }) => ({ id, text: asText(output), isError: false })),
  shown: asText([
    body.instructions ?? '',
    ...items(body),
    ...(body.tools ?? []).map(({ description = '' }) => description),
  ]),
  isStream: body.stream === true,
});

const callOf = ({ id, tool, args }) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: tool.name,
  ...(tool.namespace !== undefined && { namespace: tool.namespace }),
  arguments: JSON.stringify(args),
  status: 'completed',
});

const messageOf = ({ id, text }) => ({
  type: 'message',
  id: `msg_${id}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 20,
};

const responseOf = (turn, { model }) => ({
  id: `resp_${turn.id}`,
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  model,
  output: turn.calls === undefined ? [messageOf(turn)] : turn.calls.map(callOf),
  usage: USAGE,
});

const opened = (item) =>
  item.type === 'message'
    ? { ...item, status: 'in_progress', content: [] }
    : { ...item, status: 'in_progress', arguments: '' };

const partsOf = (item, index) => {
  const at = { item_id: item.id, output_index: index };
  if (item.type === 'message') {
    const [{ text }] = item.content;
    const part = { ...at, content_index: 0 };
    return [
      { type: 'response.content_part.added', ...part, part: { type: 'output_text', text: '', annotations: [] } },
      { type: 'response.output_text.delta', ...part, delta: text },
      { type: 'response.output_text.done', ...part, text },
      { type: 'response.content_part.done', ...part, part: item.content[0] },
    ];
  }
  return [
    { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
    { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
  ];
};

const streamOf = (response) => {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const list = [
    { type: 'response.created', response: begun },
    ...response.output.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item: opened(item) },
      ...partsOf(item, index),
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response },
  ];
  return list.map((one, index) => ({ ...one, sequence_number: index }));
};

export const openaiResponses = {
  marksErrors: false,
  takes: (path) => path.endsWith('/responses'),
  read,
  write: (turn, body) => {
    const response = responseOf(turn, body);
    return body.stream ? events(streamOf(response), { named: true }) : { json: response };
  },
};
