// A server with everything that the conformance suite asks of one (names and texts are the suite's). Run by itself it
// serves stdio in both eras, or in the old one alone with FIXTURE_ERA=old; direct.mjs serves it over HTTP.
import { fileURLToPath } from 'node:url';
import { createRequestStateCodec, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { addAskingPrompt, addAskingTools } from './fixture-asking.mjs';
import { addContentTools } from './fixture-content.mjs';
import { addEliciting } from './fixture-eliciting.mjs';
import { addLists } from './fixture-lists.mjs';
import { addPrompts } from './fixture-prompts.mjs';
import { addResources } from './fixture-resources.mjs';

/** One key for the process: over HTTP each round of the new era meets another server object. */
const states = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

/** `announce`: tells those who listen that `tools` or `prompts` changed, where the server has no connection to do so. */
export const fixtureServer = (announce) => {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: CAPABILITIES, requestState: { verify: states.verify } },
  );
  addContentTools(server);
  addEliciting(server);
  addAskingTools(server, states);
  addAskingPrompt(server);
  addPrompts(server);
  addResources(server);
  addLists(server, announce);
  return server;
};

const serve = async () => {
  if (process.env.FIXTURE_ERA === 'old') await fixtureServer().connect(new StdioServerTransport());
  else serveStdio(() => fixtureServer());
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();
