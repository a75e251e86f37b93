// Tools that need the user or the model once: sampling, and forms with defaults and every kind of choice. Written as
// results that ask for input; for clients of the old era the SDK turns those into requests to the client.
import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { NO_ARGUMENTS, text } from './fixture-content.mjs';

const form = (properties, required = []) => ({ type: 'object', properties, required });

const PERSON = form(
  {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  ['username', 'email'],
);

const DEFAULTS = form({
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});

const OPTIONS = ['option1', 'option2', 'option3'];
const titled = (noun) =>
  ['First', 'Second', 'Third'].map((word, at) => ({ const: `value${at + 1}`, title: `${word} ${noun}` }));

const CHOICES = form({
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
});

export const addEliciting = (server) => {
  /** Asks with `request(args)` until there is an answer, which `say` puts in words. */
  const add = (name, inputSchema, request, say) =>
    server.registerTool(name, { description: `Conformance: ${name}`, inputSchema }, (args, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'answer');
      if (answer.kind === 'missing') return inputRequired({ inputRequests: { answer: request(args) } });
      return { content: [text(say(answer))] };
    });
  const elicited = (words) => (answer) =>
    `${words}: action=${answer.action}, content=${JSON.stringify(answer.content)}`;

  add(
    'test_sampling',
    z.object({ prompt: z.string() }),
    ({ prompt }) =>
      inputRequired.createMessage({ messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 }),
    (answer) => `LLM response: ${answer.result.content.text}`,
  );
  add(
    'test_elicitation',
    z.object({ message: z.string() }),
    ({ message }) => inputRequired.elicit({ message, requestedSchema: PERSON }),
    elicited('User response'),
  );
  add(
    'test_elicitation_sep1034_defaults',
    NO_ARGUMENTS,
    () => inputRequired.elicit({ message: 'Please review the form', requestedSchema: DEFAULTS }),
    elicited('Elicitation completed'),
  );
  add(
    'test_elicitation_sep1330_enums',
    NO_ARGUMENTS,
    () => inputRequired.elicit({ message: 'Please choose', requestedSchema: CHOICES }),
    elicited('Elicitation completed'),
  );
};
