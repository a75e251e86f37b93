// A LangGraph agent with the tools of LangChain's MCP adapters.
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';

const { ENTRY, MODEL, PROMPT } = process.env;
const client = new MultiServerMCPClient({ mcpServers: { colibri: { transport: 'stdio', ...JSON.parse(ENTRY) } } });
const llm = new ChatOpenAI({ model: 'stub-model', configuration: { baseURL: `${MODEL}/v1` } });
const agent = createReactAgent({ llm, tools: await client.getTools() });
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: PROMPT }] });
process.stdout.write(String(messages.at(-1)?.content));
await client.close();
