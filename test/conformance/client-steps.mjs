// What the scenarios of the suite want a client to do, by their names. `client` speaks to Colibri.

const list = async ({ client }) => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools;

const call = ({ client }, name, args = {}) => client.callTool({ name, arguments: args });

/** A server's tools may be listed a moment after it is up. */
const listed = ({ client, until }, name) =>
  until(`${name} is listed`, async () => (await list({ client })).find((tool) => tool.name === name));

const callOf = (name, args) => async (steps) => {
  await listed(steps, name);
  await call(steps, name, args);
};

/** Calls the tools of which the server sends more questions than answers, and an unrelated one while the first question is open. */
const answerQuestions = async (steps) => {
  let asked = 0;
  steps.onAsked = async () => {
    asked += 1;
    if (asked === 1) await call(steps, 'test_mrtr_unrelated');
    return { action: 'accept', content: { confirmed: true } };
  };
  await listed(steps, 'test_mrtr_echo_state');
  for (const name of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_no_result_type'])
    await call(steps, name);
  if (asked !== 2) throw new Error(`asked ${asked} times`);
};

/** Every kind of request that names something. */
const nameEverything = async (steps) => {
  const { client, until } = steps;
  await listed(steps, 'test_headers');
  for (const name of ['test_headers', 'my-hyphenated-tool']) await call(steps, name);
  const some = (what, lists) => until(`${what} are listed`, async () => (await lists()).length > 0 && lists());
  const resources = await some('resources', async () => (await client.listResources()).resources);
  for (const { uri } of resources) await client.readResource({ uri });
  const prompts = await some('prompts', async () => (await client.listPrompts()).prompts);
  for (const { name } of prompts) await client.getPrompt({ name });
};

const callAsTold = async (steps) => {
  for (const { name, arguments: args } of steps.context.toolCalls) await callOf(name, args)(steps);
};

/** The tools that must not be called are asked for by name, too. */
const INVALID = [
  ...['empty_header', 'object_header', 'array_header', 'null_header', 'duplicate_same_case', 'duplicate_diff_case'],
  ...['space_in_name', 'colon_in_name', 'non_ascii_name', 'control_char_name'],
].map((kind) => `invalid_${kind}`);

const callInvalid = async (steps) => {
  await callOf('valid_tool', { region: 'eu' })(steps);
  const tools = await list(steps);
  const offered = tools.filter(({ name }) => INVALID.includes(name)).map(({ name }) => name);
  if (offered.length > 0) throw new Error(`offered: ${offered.join(' ')}`);
  for (const name of INVALID) await call(steps, name, { value: 'x', field1: 'x', field2: 'y' }).catch(() => {});
};

const echoSchema = async (steps) => {
  const { inputSchema } = await listed(steps, 'json_schema_2020_12_tool');
  await call(steps, 'json_schema_echo', { schema: inputSchema });
};

export const STEPS = {
  initialize: list,
  tools_call: callOf('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': callOf('test_client_elicitation_defaults'),
  'sse-retry': callOf('test_reconnection'),
  'request-metadata': list,
  'sep-2322-client-request-state': answerQuestions,
  'http-standard-headers': nameEverything,
  'http-custom-headers': callAsTold,
  'http-invalid-tool-headers': callInvalid,
  'json-schema-ref-no-deref': (steps) => listed(steps, 'lookup_user'),
  'json-schema-2020-12-preservation': echoSchema,
};
