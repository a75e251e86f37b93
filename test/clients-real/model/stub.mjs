// A model on loopback that plays a script: it answers a request that offers it our tools with the next call of the script, and every
// other request (titles, summaries) with one word. It keeps what it was shown. What a program wants from the
// outside world comes here as from a proxy, is refused, and is kept too.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { anthropic } from './anthropic.mjs';
import { gemini } from './gemini.mjs';
import { asMade, isSearch, withLater } from './later-tools.mjs';
import { openaiChat } from './openai-chat.mjs';
import { openaiResponses } from './openai-responses.mjs';
import { plain } from './plain.mjs';

const DIALECTS = { anthropic, gemini, openaiChat, openaiResponses, plain };

const LONG_BODY = 64 * 1024 * 1024;

/** The tool that a program offers under a name of its own: our name, perhaps with the server's before it. */
export const offered = (tools, wanted) =>
  tools
    .filter(({ name }) => name === wanted || (name.endsWith(wanted) && /[^a-z0-9]/i.test(name.at(-wanted.length - 1))))
    .sort((one, other) => one.name.length - other.name.length)[0];

const stepAt = (script, done) => {
  let sum = 0;
  for (const step of script) {
    if (sum === done) return step;
    sum += step.length;
  }
  return undefined;
};

/** The model's turn: how far the script is follows from the results in the request, so a repeated request gets the same turn. */
const turnFor = (shown, script) => {
  const done = shown.results.filter((one) => !isSearch(one)).length;
  const id = String(shown.results.length);
  const step = stepAt(script, done);
  if (step === undefined) return { id, text: 'The script is over.' };
  const calls = step.map(({ tool, args }, at) => ({
    id: `call_${done + at}`,
    tool: offered(shown.tools, tool),
    args,
    wanted: tool,
  }));
  const missing = calls.filter(({ tool }) => tool === undefined).map(({ wanted }) => wanted);
  if (missing.length > 0) return { id, text: `not offered: ${missing.join(', ')}`, missing };
  return { id, calls: calls.map((call) => asMade(call, shown)) };
};

const readBody = async (request) => {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LONG_BODY) throw new Error('the request is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const sendJson = (response, status, value) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

const send = (response, { json, stream }) => {
  if (json !== undefined) return sendJson(response, 200, json);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const line of stream) response.write(line);
  response.end();
};

/** What else programs ask for before they begin. */
const SMALL_ANSWERS = [
  [/count_tokens$/, { input_tokens: 10 }],
  [/:countTokens$/, { totalTokens: 10 }],
  [
    /\/models$/,
    { object: 'list', data: [{ id: 'stub-model', object: 'model', created: 1, owned_by: 'stub' }], models: [] },
  ],
];

class Model {
  /** Every request of the program's agent, as the model was shown it. */
  turns = [];
  /** Requests to other places than the model's, each as `METHOD address`. */
  outside = [];
  /** Requests to the model's address for which there is no answer. */
  unknown = [];
  #script;
  #mark;

  /** `mark`: a tool that the requests of the agent itself offer. */
  constructor(script, mark) {
    this.#script = script;
    this.#mark = mark;
  }

  async answer(request, response) {
    const { pathname: path, host } = new URL(request.url, `http://${request.headers.host}`);
    const body = await readBody(request);
    if (request.url.startsWith('http://') && !host.startsWith('127.0.0.1')) {
      this.outside.push(`${request.method} ${request.url}`);
      return sendJson(response, 403, { error: { message: 'nothing outside this machine' } });
    }
    const name = Object.keys(DIALECTS).find((one) => DIALECTS[one].takes(path));
    if (request.method === 'POST' && name !== undefined) return this.#play(name, path, JSON.parse(body), response);
    const small = SMALL_ANSWERS.find(([pattern]) => pattern.test(path));
    if (small !== undefined) return sendJson(response, 200, small[1]);
    this.unknown.push(`${request.method} ${path}`);
    return sendJson(response, 404, { error: { message: `no ${path} here` } });
  }

  #play(name, path, body, response) {
    const dialect = DIALECTS[name];
    const shown = { dialect: name, ...dialect.read(body, path) };
    shown.tools = withLater(shown);
    const isAgent = offered(shown.tools, this.#mark) !== undefined;
    if (!isAgent) shown.aside = true;
    const turn = isAgent ? turnFor(shown, this.#script) : { id: `aside-${this.turns.length}`, text: 'ok' };
    shown.results = shown.results.filter((one) => !isSearch(one));
    this.turns.push({ ...shown, marksErrors: dialect.marksErrors, turn, at: Date.now(), body });
    send(response, dialect.write(turn, body, path));
  }
}

/** `script`: a list of steps, each a list of calls `{tool, args}` that are made at once. */
export const startModel = async (script, mark = 'task_create') => {
  const model = new Model(script, mark);
  const server = createServer((request, response) => {
    model.answer(request, response).catch((thrown) => {
      model.unknown.push(`${request.method} ${request.url}: ${thrown.message}`);
      if (!response.headersSent) sendJson(response, 500, { error: { message: thrown.message } });
    });
  });
  server.on('connect', (request, socket) => {
    model.outside.push(`CONNECT ${request.url}`);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}`,
    model,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
