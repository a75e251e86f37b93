// Registering a tool and listing it. The schema is written once, beside the handler; what clients see is made from it.
import * as z from 'zod';
import type { ListedTool } from '../wire/door.js';
import type { ColibriServerContext, ColibriToolConfig, HandlerExtra, Tool } from './context.js';

const TOOL_NAME = /^[a-z_][a-z0-9_]*$/;

/** The same small envelope for every tool: full schemas would cost context that no client shows to a model. */
const ENVELOPE_SCHEMA = {
  type: 'object',
  properties: { ok: { type: 'boolean' }, data: {}, error: { type: 'object' } },
  required: ['ok'],
} as const;

const effectOf = (effect: ColibriToolConfig['effect']): Tool['effectOf'] =>
  typeof effect === 'function' ? (args) => effect(args as never) : () => effect ?? 'open';

/** Adds a tool. Must be called before `start`: clients may have asked for the list after that. */
export const registerColibriTool = <I extends z.ZodRawShape, O extends z.ZodRawShape = z.ZodRawShape>(
  ctx: ColibriServerContext,
  name: string,
  config: ColibriToolConfig<I, O>,
  handler: (args: z.infer<z.ZodObject<I>>, extra: HandlerExtra) => unknown,
): void => {
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) throw new Error(`invalid tool name: ${name}`);
  if (!(config.inputSchema instanceof z.ZodObject)) throw new Error('inputSchema must be a Zod object');
  if (ctx.tools.has(name) || ctx.notAdmitted.has(name)) throw new Error(`tool already registered: ${name}`);
  if (config.admittedIn !== undefined && !config.admittedIn.includes(ctx.mode)) {
    ctx.notAdmitted.add(name);
    return;
  }
  const plain = config as unknown as ColibriToolConfig;
  ctx.tools.set(name, {
    name,
    config: plain,
    effectOf: effectOf(plain.effect),
    prepare: plain.prepare as Tool['prepare'],
    handler: (args, extra) => handler(args as z.infer<z.ZodObject<I>>, extra),
  });
};

const isAnyString = (schema: unknown): boolean => JSON.stringify(schema) === '{"type":"string"}';

/** Smaller than Zod writes it: no dialect, nothing that every JSON number is or every name in an object. */
const inputSchema = (config: ColibriToolConfig): unknown => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(config.inputSchema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (isAnyString(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
    },
  });
  return schema;
};

export const listedTool = ({ name, config }: Tool): ListedTool => ({
  name,
  ...(config.title !== undefined && { title: config.title }),
  ...(config.description !== undefined && { description: config.description }),
  inputSchema: inputSchema(config),
  outputSchema: ENVELOPE_SCHEMA,
  ...(config.annotations !== undefined && { annotations: config.annotations }),
  ...(config.meta !== undefined && { _meta: config.meta }),
});
