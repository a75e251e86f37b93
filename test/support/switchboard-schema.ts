// The JSON Schema of a switchboard file, for editors. docs/switchboard.schema.json is a copy of this schema; a test compares the two.

import { DEFAULT_KEYS, PROVIDER_KEYS, SERVER_KEYS } from '../../src/switchboard/config/keys.js';
import { SWITCHBOARD_LIMITS } from '../../src/switchboard/limits.js';

const provider = { ...PROVIDER_KEYS.schema, required: ['server', 'tool'] };

export const switchboardSchema = (): Readonly<Record<string, unknown>> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Colibri switchboard',
  type: 'object',
  required: ['mcpServers'],
  properties: {
    $schema: { type: 'string' },
    mcpServers: {
      type: 'object',
      description: 'The servers by name.',
      additionalProperties: {
        ...SERVER_KEYS.schema,
        oneOf: [{ required: ['command'] }, { required: ['url'] }],
      },
    },
    defaults: DEFAULT_KEYS.schema,
    routes: {
      type: 'object',
      description: 'Capabilities by name, each with its providers in order.',
      additionalProperties: {
        type: 'array',
        minItems: 1,
        maxItems: SWITCHBOARD_LIMITS.routeProviders,
        items: { anyOf: [{ type: 'string', description: 'server/tool' }, provider] },
      },
    },
  },
});
