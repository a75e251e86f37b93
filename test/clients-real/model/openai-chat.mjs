// OpenAI's chat completions, which most programs speak to models of other makers.
import { asText, events } from './text.mjs';

const toolOf = ({ function: { name, description = '', parameters: schema = {}, strict } }) => ({
  name,
  description,
  schema,
  strict,
});

const read = (body) => ({
  tools: (body.tools ?? []).filter(({ type }) => type === 'function').map(toolOf),
  results: body.messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id: id, content }) => ({ id, text: asText(content), isError: false })),
  shown: asText(body.messages.map(({ content }) => content)),
  isStream: body.stream === true,
});

const callOf = ({ id, tool, args }, index) => ({
  index,
  id,
  type: 'function',
  function: { name: tool.name, arguments: JSON.stringify(args) },
});

const messageOf = ({ calls, text }) =>
  calls === undefined
    ? { role: 'assistant', content: text }
    : { role: 'assistant', content: null, tool_calls: calls.map(callOf) };

const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

const head = (turn, { model }, object) => ({ id: `chatcmpl-${turn.id}`, object, created: 1_790_000_000, model });

const streamOf = (turn, body) => {
  const chunk = head(turn, body, 'chat.completion.chunk');
  const ended = turn.calls === undefined ? 'stop' : 'tool_calls';
  return [
    { ...chunk, choices: [{ index: 0, delta: messageOf(turn), finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: ended }] },
    { ...chunk, choices: [], usage: USAGE },
  ];
};

const wholeOf = (turn, body) => {
  const ended = turn.calls === undefined ? 'stop' : 'tool_calls';
  return {
    ...head(turn, body, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(turn), finish_reason: ended }],
    usage: USAGE,
  };
};

export const openaiChat = {
  marksErrors: false,
  takes: (path) => path.endsWith('/chat/completions'),
  read,
  write: (turn, body) =>
    body.stream ? events(streamOf(turn, body), { last: '[DONE]' }) : { json: wholeOf(turn, body) },
};
