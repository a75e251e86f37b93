// The prompts that the suite asks for; the arguments of one complete themselves.
import { completable } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { image, resource, text } from './fixture-content.mjs';

const WORDS = ['paris', 'park', 'party', 'test1', 'test2'];
const startingWith = (value) => WORDS.filter((word) => word.startsWith(value));
const user = (content) => ({ role: 'user', content });

export const addPrompts = (server) => {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments',
      argsSchema: z.object({
        arg1: completable(z.string(), startingWith),
        arg2: completable(z.string(), startingWith),
      }),
    },
    ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt that embeds a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image' }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
};
