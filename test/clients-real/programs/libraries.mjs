// Libraries: a small program of ours in drivers/ does with each what its documentation shows, as users of it would.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const driver = (name) => fileURLToPath(new URL(`../drivers/${name}.mjs`, import.meta.url));

/** The program is copied beside a link to the installed packages: that is where Node looks for what it imports. */
const prepareDriver =
  (name) =>
  async ({ place, url, dir, node, prompt }) => {
    const file = join(place.dir, `${name}.mjs`);
    fs.copyFileSync(driver(name), file);
    const packages = join(place.dir, 'node_modules');
    if (!fs.existsSync(packages)) fs.symlinkSync(join(dir, 'node_modules'), packages);
    const given = { ENTRY: JSON.stringify(place.entry), MODEL: url, PROMPT: prompt };
    return { command: node, args: [file], env: { ...given, OPENAI_API_KEY: 'none' } };
  };

const LIBRARY = {
  instructions: 'a library leaves the instructions to the program that uses it',
  'late tools': 'tools that came later were not offered in that session',
};

const library = (id, title, packages, { known = {}, ...more } = {}) => ({
  id,
  title,
  packages,
  needsNode: true,
  prepare: prepareDriver(id),
  known: { ...LIBRARY, ...known },
  ...more,
});

export const aiSdk = library(
  'ai-sdk',
  'Vercel AI SDK',
  ['ai@7.0.170', '@ai-sdk/mcp@2.0.97', '@ai-sdk/openai-compatible@3.0.90'],
  { isInGate: true },
);

export const langchain = library('langchain', 'LangChain MCP adapters', [
  '@langchain/mcp-adapters@1.1.3',
  '@langchain/langgraph@1.3.0',
  '@langchain/openai@1.6.0',
  '@langchain/core@1.2.13',
]);

export const openaiAgents = library('openai-agents', 'OpenAI Agents SDK', ['@openai/agents@0.20.0', 'zod@4'], {
  isStrict: true,
});

/** It has no model: what it prints is what is looked at. Every call is a process of its own. */
export const inspector = library('inspector', 'MCP Inspector CLI', ['@modelcontextprotocol/inspector@2.12.0'], {
  isInGate: true,
  without: ['interrupt'],
  known: {
    instructions: 'it prints answers only',
    'late tools': 'every call is a process of its own',
  },
});
