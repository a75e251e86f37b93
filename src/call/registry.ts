// Registers tools and makes their entries for `tools/list`.
import * as z from 'zod';
import type { ListedTool } from '../wire/door.js';
import type { ColibriServerContext, ColibriToolConfig, HandlerExtra, Tool } from './context.js';
import { type DefinedTool, toolOf } from './define-tool.js';

const TOOL_NAME = /^[a-z_][a-z0-9_]*$/;

/** One small output schema for all tools: full schemas would take up a model's context, and no client shows them to a model. */
const envelopeSchema = (data: object) => ({
  type: 'object',
  properties: { ok: { type: 'boolean' }, data, error: { type: 'object' } },
  required: ['ok'],
});

/** An embedder's tool may return any value; Colibri's own tools return objects. */
const ENVELOPE_SCHEMA = envelopeSchema({});
const OWN_ENVELOPE_SCHEMA = envelopeSchema({ type: 'object' });

/** Adds a tool. Later than before `start`, clients have to be told that the list has changed. */
const addTool = (ctx: ColibriServerContext, tool: Tool): void => {
  const { name, config } = tool;
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) throw new Error(`invalid tool name: ${name}`);
  if (!(config.inputSchema instanceof z.ZodObject)) throw new Error('inputSchema must be a Zod object');
  if (ctx.tools.has(name) || ctx.notAdmitted.has(name)) throw new Error(`tool already registered: ${name}`);
  if (config.admittedIn === undefined || config.admittedIn.includes(ctx.mode)) ctx.tools.set(name, tool);
  else ctx.notAdmitted.add(name);
};

/** Adds a tool of an embedder. */
export const registerColibriTool = <I extends z.ZodRawShape, O extends z.ZodRawShape = z.ZodRawShape>(
  ctx: ColibriServerContext,
  name: string,
  config: ColibriToolConfig<I, O>,
  handler: (args: z.infer<z.ZodObject<I>>, extra: HandlerExtra) => unknown,
): void => addTool(ctx, toolOf(name, config as unknown as ColibriToolConfig, handler as Tool['handler']));

/** Adds Colibri's own tools, in the order in which they are listed. */
export const registerTools = <N>(ctx: ColibriServerContext, tools: readonly DefinedTool<N>[], needs: N): void => {
  for (const tool of tools) addTool(ctx, tool(ctx, needs));
};

const isAnyString = (schema: unknown): boolean => JSON.stringify(schema) === '{"type":"string"}';

/** The tool's input schema for clients. Smaller than Zod's: without the dialect and without rules that hold for every JSON number or member name. */
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

export const listedTool = ({ name, config, ...rest }: Tool): ListedTool => ({
  name,
  ...(config.title !== undefined && { title: config.title }),
  ...(config.description !== undefined && { description: config.description }),
  inputSchema: inputSchema(config),
  outputSchema: 'definition' in rest ? OWN_ENVELOPE_SCHEMA : ENVELOPE_SCHEMA,
  ...(config.annotations !== undefined && { annotations: config.annotations }),
  ...(config.meta !== undefined && { _meta: config.meta }),
});
