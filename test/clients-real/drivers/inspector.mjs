// The command line of MCP Inspector: one process for the list of tools, and one for each call.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const { ENTRY, MODEL } = process.env;
const PACKAGE = new URL('node_modules/@modelcontextprotocol/inspector/', import.meta.url);
const INSPECTOR = fileURLToPath(new URL('clients/launcher/build/index.js', PACKAGE));
const { command, args, env } = JSON.parse(ENTRY);
const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);

const inspect = async (...method) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [INSPECTOR, '--cli', ...variables, command, ...args, ...method],
    {
      maxBuffer: 16 * 1024 * 1024,
    },
  ).catch((thrown) => (thrown.stdout ? thrown : Promise.reject(thrown)));
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
};

const ask = async (shown) => {
  const answer = await fetch(`${MODEL}/plain`, { method: 'POST', body: JSON.stringify(shown) });
  return (await answer.json()).calls;
};

const asArgument = ([key, value]) => [
  '--tool-arg',
  `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
];

const { tools } = await inspect('--method', 'tools/list');
const results = [];
for (let calls = await ask({ tools, results }); calls.length > 0; calls = await ask({ tools, results }))
  for (const { name, args: given } of calls) {
    const result = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      name,
      ...Object.entries(given).flatMap(asArgument),
    );
    results.push({
      text: JSON.stringify(result.structuredContent ?? result.content),
      isError: result.isError === true,
    });
  }
