// Some programs only name the tools of MCP servers in a message: the model loads a schema with a search, or calls the tool through another one.

/** By the tool that is offered for it: how names stand in the messages, and what the model calls. */
const WAYS = {
  // Claude Code: after the search the tool is called like any other.
  ToolSearch: {
    names: /^mcp__\S+$/gm,
    isSearch: true,
    call: ({ name }) => ({ query: `select:${name}`, max_results: 1 }),
  },
  // Qwen Code: the tool stays hidden and is called by its name.
  tool_call: {
    names: /(?<=^- ")mcp__[^"]+(?=": )/gm,
    isSearch: false,
    call: ({ name }, args) => ({ name, arguments: args }),
  },
};

const wayOf = (tools) => Object.keys(WAYS).find((way) => tools.some(({ name }) => name === way));

/** The tools that a request offers, those included that are only named in it. */
export const withLater = ({ tools, shown }) => {
  const way = wayOf(tools);
  if (way === undefined) return tools;
  const loaded = new Set(tools.map(({ name }) => name));
  const named = [...new Set(shown.match(WAYS[way].names))].filter((name) => !loaded.has(name));
  return [...tools, ...named.map((name) => ({ name, isLater: true }))];
};

const SEARCH_ID = 'search_';

export const isSearch = ({ id }) => id?.startsWith(SEARCH_ID) === true;

/** The call that the model makes for this one: itself, a search before it, or the call of another tool with it inside. */
export const asMade = (call, { tools, results }) => {
  if (!call.tool.isLater) return call;
  const name = wayOf(tools);
  const way = WAYS[name];
  const id = way.isSearch ? `${SEARCH_ID}${call.id}` : call.id;
  if (way.isSearch && results.some((one) => one.id === id)) return call;
  return { id, tool: tools.find((one) => one.name === name), args: way.call(call.tool, call.args) };
};
