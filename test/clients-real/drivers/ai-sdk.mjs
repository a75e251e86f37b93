// The AI SDK as its documentation shows it.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { stepCountIs, streamText } from 'ai';

const { ENTRY, MODEL, PROMPT } = process.env;
const client = await createMCPClient({ transport: new Experimental_StdioMCPTransport(JSON.parse(ENTRY)) });
process.once('SIGINT', async () => {
  await client.close();
  process.exit(130);
});
const model = createOpenAICompatible({ name: 'stub', baseURL: `${MODEL}/v1`, apiKey: 'none' });
const result = streamText({
  model: model('stub-model'),
  tools: await client.tools(),
  stopWhen: stepCountIs(10),
  prompt: PROMPT,
});
for await (const part of result.textStream) process.stdout.write(part);
await client.close();
