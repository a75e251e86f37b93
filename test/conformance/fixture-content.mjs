// Tools that answer by themselves: every kind of content, an error, logging, progress, a schema with unusual words.
import { setTimeout as sleep } from 'node:timers/promises';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** The smallest PNG: one transparent pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=';
/** A WAV file with a header and no samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

export const NO_ARGUMENTS = z.object({});
export const text = (value) => ({ type: 'text', text: value });
export const image = { type: 'image', data: PNG, mimeType: 'image/png' };
export const resource = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });

const CONTENTS = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
  ],
};

/** Words of JSON Schema that a server in between might drop. */
const UNUSUAL_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'place', type: 'object', properties: { city: { type: 'string' } } } },
  properties: { kind: { type: 'string' }, post: { $ref: '#/$defs/address' }, phone: { type: 'string' } },
  allOf: [{ anyOf: [{ required: ['post'] }, { required: ['phone'] }] }],
  if: { properties: { kind: { const: 'letter' } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: { required: ['post'] },
  else: { required: ['phone'] },
  additionalProperties: false,
};

/** An argument that HTTP clients also send as a header. */
const HEADER_SCHEMA = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
};

const STEPS = [0, 50, 100];
const STEP_MS = 50;

const reportProgress = async (_args, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of STEPS) {
    if (progress > 0) await sleep(STEP_MS);
    if (progressToken === undefined) continue;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
  }
  return { content: [text('done')] };
};

const writeLog = async (_args, { mcpReq }) => {
  for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', line);
    await sleep(STEP_MS);
  }
  return { content: [text('logged')] };
};

export const addContentTools = (server) => {
  const add = (name, run, inputSchema = NO_ARGUMENTS) =>
    server.registerTool(name, { description: `Conformance: ${name}`, inputSchema }, run);
  for (const [name, content] of Object.entries(CONTENTS)) add(name, () => ({ content }));
  add('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  add('test_tool_with_progress', reportProgress);
  add('test_tool_with_logging', writeLog);
  add('test_logging_tool', writeLog);
  add('json_schema_2020_12_tool', () => ({ content: [text('valid')] }), fromJsonSchema(UNUSUAL_SCHEMA));
  add('test_header_parameter', () => ({ content: [text('called')] }), fromJsonSchema(HEADER_SCHEMA));
};
