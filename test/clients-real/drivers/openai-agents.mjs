// OpenAI's Agents SDK, with schemas in strict mode.
import { Agent, MCPServerStdio, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';

const { ENTRY, MODEL, PROMPT } = process.env;
setTracingDisabled(true);
const server = new MCPServerStdio({ name: 'colibri', ...JSON.parse(ENTRY) });
await server.connect();
const agent = new Agent({
  name: 'agent',
  model: 'stub-model',
  mcpServers: [server],
  mcpConfig: { convertSchemasToStrict: true },
});
const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL: `${MODEL}/v1`, apiKey: 'none' }) });
const { finalOutput } = await runner.run(agent, PROMPT);
process.stdout.write(String(finalOutput));
await server.close();
