// Lists that grow when they are told to: two tools, each of which adds one more tool or prompt. They never shrink: a list
// that is soon as it was before is no change, and nobody need be told of it.
import { NO_ARGUMENTS, text } from './fixture-content.mjs';

/** How many were added: over HTTP the new era makes a server for every request. */
const added = { tools: 0, prompts: 0 };

export const addLists = (server, announce) => {
  const addOne = {
    tools: (number) =>
      server.registerTool(`test_more_${number}`, { description: 'One more', inputSchema: NO_ARGUMENTS }, () => ({
        content: [text('one more')],
      })),
    prompts: (number) =>
      server.registerPrompt(`test_more_${number}`, { description: 'One more' }, () => ({
        messages: [{ role: 'user', content: text('one more') }],
      })),
  };
  for (const [list, count] of Object.entries(added))
    for (let number = 1; number <= count; number++) addOne[list](number);

  const addTrigger = (name, list) =>
    server.registerTool(name, { description: `Adds to ${list}/list`, inputSchema: NO_ARGUMENTS }, () => {
      added[list]++;
      // Where the server is connected, the SDK tells the client by itself.
      if (announce !== undefined) announce(list);
      else addOne[list](added[list]);
      return { content: [text(`one more of ${list}`)] };
    });
  addTrigger('test_trigger_tool_change', 'tools');
  addTrigger('test_trigger_prompt_change', 'prompts');
};
