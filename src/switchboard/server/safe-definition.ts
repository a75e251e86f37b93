// Makes the definition of another server's tool safe to list, because clients reject the whole `tools/list` for one bad schema.
// Small faults are repaired, with a note for the user; a tool that cannot be repaired is left out, with a reason.

import { isObject } from '../../proof/canonical-json.js';
import { withoutOurMeta } from '../../proof/result-text.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { judgeSchema, newSteps, type Steps, TOO_COSTLY } from '../schema-judge.js';
import { excessOf, pointedAt, type SchemaObject } from '../schema-node.js';

export type SafeDefinition =
  | { readonly listed: true; readonly definition: SchemaObject; readonly notes: readonly string[] }
  | { readonly listed: false; readonly reason: string };

type Mended = { readonly schema: SchemaObject; readonly notes: readonly string[] } | { readonly reason: string };

/** JSON Schema keywords that add no rules if they are at the root of a schema together with a `$ref`. */
const BESIDE_REF = [
  '$schema',
  '$id',
  '$defs',
  'definitions',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'type',
];

/**
 * The root schema with its `$ref` replaced by the schema that it points to. Other references still start at the root, so the root's own
 * definitions win over those of that schema. Undefined if the reference points to nothing or in a circle.
 */
const inlined = (root: SchemaObject): SchemaObject | undefined => {
  let schema = root;
  for (let hop = 0; typeof schema.$ref === 'string'; hop++) {
    const target = pointedAt(root, schema.$ref);
    if (hop >= SWITCHBOARD_LIMITS.schemaRefs || !isObject(target) || target === root) return undefined;
    const { $ref: _ref, ...beside } = schema;
    schema = { ...target, ...beside };
  }
  return schema;
};

const withoutRef = (root: SchemaObject): Mended => {
  const { $ref, ...beside } = root;
  if (typeof $ref !== 'string')
    return $ref === undefined
      ? { schema: root, notes: [] }
      : { schema: beside, notes: ['its root $ref was not a string'] };
  if (!$ref.startsWith('#'))
    return { schema: beside, notes: ['its root $ref points to another document and was dropped'] };
  if (Object.keys(beside).some((key) => !BESIDE_REF.includes(key)))
    return {
      schema: { ...beside, allOf: [...(Array.isArray(beside.allOf) ? beside.allOf : []), { $ref }] },
      notes: [],
    };
  const schema = inlined(root);
  return schema === undefined
    ? { reason: 'its root $ref points to nothing' }
    : { schema, notes: ['its root $ref was inlined'] };
};

const withType = (schema: SchemaObject): Mended => {
  const { type } = schema;
  if (type === 'object') return { schema, notes: [] };
  if (type === undefined || (Array.isArray(type) && type.includes('object')))
    return { schema: { ...schema, type: 'object' }, notes: ['its root had no type "object"'] };
  return { reason: 'its root is not of type "object"' };
};

/** Turns the schema of a property into an object, because some clients do not accept the schemas `true` and `false` in `properties`. */
const asSchemaObject = (value: unknown): SchemaObject => (isObject(value) ? value : value === false ? { not: {} } : {});

const withMembers = (schema: SchemaObject): Mended => {
  const { properties, required, ...rest } = schema;
  const notes: string[] = [];
  const kept: Record<string, unknown> = {};
  if (isObject(properties))
    kept.properties = Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, asSchemaObject(value)]),
    );
  else if (properties !== undefined) notes.push('its properties were not an object');
  if (Array.isArray(required) && required.every((key) => typeof key === 'string')) kept.required = required;
  else if (required !== undefined) notes.push('its required was not a list of strings');
  return { schema: { ...rest, ...kept }, notes };
};

const MENDERS = [withoutRef, withType, withMembers] as const;

/** Repairs a schema so that every client accepts its root, or says why that cannot be done. */
const safeSchema = (schema: unknown): Mended => {
  const excess = excessOf(schema);
  if (excess !== undefined) return { reason: `its schema is too big: ${excess}` };
  if (schema === undefined || schema === true) return { schema: { type: 'object' }, notes: ['it had no schema'] };
  if (!isObject(schema)) return { reason: 'its schema is not an object' };
  return MENDERS.reduce<Mended>(
    (mended, mend) => {
      if ('reason' in mended) return mended;
      const next = mend(mended.schema);
      return 'reason' in next ? next : { schema: next.schema, notes: [...mended.notes, ...next.notes] };
    },
    { schema, notes: [] },
  );
};

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value);
const isIcon = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.src) &&
  isTextOrNone(value.mimeType) &&
  (value.sizes === undefined || (Array.isArray(value.sizes) && value.sizes.every(isText))) &&
  [undefined, 'light', 'dark'].includes(value.theme as undefined);

/** Tests for members of a tool's definition other than schemas and annotations. A member that fails its test is dropped. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  icons: (value) => Array.isArray(value) && value.every(isIcon),
  _meta: isObject,
};

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const safeAnnotations = (value: unknown): SchemaObject | undefined => {
  if (!isObject(value)) return undefined;
  const fits = ([key, inner]: [string, unknown]): boolean =>
    HINTS.includes(key) ? typeof inner === 'boolean' : key !== 'title' || isText(inner);
  return Object.fromEntries(Object.entries(value).filter(fits));
};

const safeMembers = (members: SchemaObject): { readonly kept: SchemaObject; readonly notes: readonly string[] } => {
  const { annotations, ...others } = members;
  const isFine = ([key, value]: [string, unknown]): boolean =>
    !Object.hasOwn(MEMBERS, key) || MEMBERS[key]?.(value) === true;
  const dropped = Object.entries(others).filter((entry) => !isFine(entry));
  const hints = safeAnnotations(annotations);
  return {
    kept: { ...Object.fromEntries(Object.entries(others).filter(isFine)), ...(hints && { annotations: hints }) },
    notes: dropped.map(([key]) => `its ${key} does not follow the protocol and was dropped`),
  };
};

/** Whether a tool can run only as an MCP task. Colibri does not pass tasks on to servers, so it cannot offer such a tool. */
const needsTasks = (execution: unknown): boolean => isObject(execution) && execution.taskSupport === 'required';

const safeOutput = (schema: unknown): { readonly kept: SchemaObject; readonly notes: readonly string[] } => {
  if (schema === undefined) return { kept: {}, notes: [] };
  const output = safeSchema(schema);
  return 'reason' in output
    ? { kept: {}, notes: [`output schema dropped: ${output.reason}`] }
    : { kept: { outputSchema: output.schema }, notes: output.notes.map((note) => `output: ${note}`) };
};

/** A note if a schema is too costly to check. `steps` is shared by all tools of a list, so that the cost is bounded for many tools, too. */
const checkNotes = (schema: SchemaObject, steps: Steps): readonly string[] => {
  const mine = newSteps(Math.min(SWITCHBOARD_LIMITS.schemaSteps, steps.left));
  const before = mine.left;
  const { doubt } = judgeSchema(schema, {}, mine);
  steps.left -= before - Math.max(0, mine.left);
  const isCostly = doubt === TOO_COSTLY && before === SWITCHBOARD_LIMITS.schemaSteps;
  return isCostly ? [`its arguments go unchecked: ${TOO_COSTLY}`] : [];
};

/** Makes a tool's definition safe to list, under the name that the server gave the tool. */
export const safeDefinition = (
  definition: unknown,
  steps: Steps = newSteps(SWITCHBOARD_LIMITS.listingSteps),
): SafeDefinition => {
  if (!isObject(definition) || !isText(definition.name)) return { listed: false, reason: 'it has no name' };
  const { inputSchema, outputSchema, execution, ...members } = withoutOurMeta(definition);
  const excess = excessOf(members);
  if (excess !== undefined) return { listed: false, reason: `its definition is too big: ${excess}` };
  if (needsTasks(execution)) return { listed: false, reason: 'it runs only as a task' };
  const input = safeSchema(inputSchema);
  if ('reason' in input) return { listed: false, reason: input.reason };
  const output = safeOutput(outputSchema);
  const { kept, notes } = safeMembers(members);
  return {
    listed: true,
    definition: { ...kept, inputSchema: input.schema, ...output.kept },
    notes: [...input.notes, ...checkNotes(input.schema, steps), ...output.notes, ...notes],
  };
};
