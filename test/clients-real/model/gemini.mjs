// Gemini's generateContent and streamGenerateContent. It has no ids of calls and no flag for errors; the address says whether it streams.
import { asText, events } from './text.mjs';

const toolOf = ({ name, description = '', parameters, parametersJsonSchema }) => ({
  name,
  description,
  schema: parametersJsonSchema ?? parameters ?? {},
});

const parts = ({ contents = [] }) => contents.flatMap((one) => one.parts ?? []);

const isStreamed = (path) => path.includes(':streamGenerateContent');

const read = (body, path) => ({
  tools: (body.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations).map(toolOf),
  results: parts(body)
    .filter(({ functionResponse }) => functionResponse !== undefined)
    .map(({ functionResponse: { response = {} } }) => ({
      text: asText(response),
      isError: response.error !== undefined,
    })),
  shown: asText([body.systemInstruction ?? '', ...parts(body)]),
  isStream: isStreamed(path),
});

const callOf = ({ id, tool, args }) => ({ functionCall: { id, name: tool.name, args } });

const answerOf = ({ calls, text }) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: calls === undefined ? [{ text }] : calls.map(callOf) },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
});

export const gemini = {
  marksErrors: true,
  takes: (path) => /:(streamG|g)enerateContent$/.test(path),
  read,
  write: (turn, _body, path) => (isStreamed(path) ? events([answerOf(turn)]) : { json: answerOf(turn) }),
};
