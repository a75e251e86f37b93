// The document as text: tables from the registry and the shapes, examples from a session.
import { rowShape } from '../../build/domains/reputation/shapes.js';
import { attemptShape } from '../../build/domains/router/ask.js';
import { candidateShape } from '../../build/domains/router/score.js';
import { callShape } from '../../build/domains/shapes.js';
import { taskShape } from '../../build/domains/tasks/fields.js';
import { ENTRY_RULES, NEXT_STATES, NOTE_TYPES, TASK_STATES } from '../../build/domains/tasks/state-machine.js';
import { ERRORS } from '../../build/errors.js';
import { COMMON, schemaOf } from './registry.mjs';

/** Shapes that are described once. */
const NAMED = {
  Task: taskShape,
  Reputation: rowShape,
  Call: callShape,
  Attempt: attemptShape,
  Candidate: candidateShape,
};

const code = (text) => `\`${text}\``;
const table = (heads, rows) =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');

// Types.

/** Names of shapes that are described once. Rows of lists are tasks without their description. */
const NAMES = { ListedTask: '[Task](#task) without `description`' };
const shapeLink = (name) => NAMES[name] ?? `[${name}](#${name.toLowerCase()})`;

const typeOf = (schema) => {
  if (schema.named !== undefined) return shapeLink(schema.named);
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum?.join() === TASK_STATES.join()) return '[state](#states)';
  if (schema.enum !== undefined) return schema.enum.map(code).join(' ');
  if (schema.kind !== undefined) return schema.kind;
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'values' : typeOf(schema.items)}`;
  return [schema.type ?? 'any'].flat().join(' or ');
};

const isNull = ({ type }) => type === 'null';

/** The object inside a list or beside null whose fields are shown below it, and how they are reached. */
const insideOf = (schema, path) => {
  if (schema.named !== undefined) return undefined;
  if (schema.type === 'object' && schema.properties !== undefined) return { schema, path };
  if (schema.type === 'array' && schema.items !== undefined) return insideOf(schema.items, `${path}[]`);
  const [one, ...others] = (schema.anyOf ?? []).filter((option) => !isNull(option));
  return one !== undefined && others.length === 0 ? insideOf(one, path) : undefined;
};

const fieldRows = (schema, prefix = '') =>
  Object.entries(schema.properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const mark = (schema.required ?? []).includes(name) ? '' : '?';
    const inside = insideOf(field, path);
    const row = [code(`${path}${mark}`), typeOf(field), field.description ?? ''];
    return [row, ...(inside === undefined ? [] : fieldRows(inside.schema, `${inside.path}.`))];
  });

const FIELD_HEADS = ['field', 'type', 'meaning'];

/** The named shape that it is, or begins with. */
const baseOf = ({ shape }) =>
  Object.entries(NAMED).find(([, named]) => Object.entries(named.shape).every(([key, field]) => shape[key] === field));

const dataText = (shape) => {
  const [name, named] = baseOf(shape) ?? [];
  const rows = fieldRows(schemaOf(name === undefined ? shape : shape.omit(maskOf(named))));
  if (name === undefined) return `\`data\`:\n\n${table(FIELD_HEADS, rows)}`;
  const base = `\`data\` is a ${shapeLink(name)}`;
  return rows.length === 0 ? `${base}.` : `${base} with:\n\n${table(FIELD_HEADS, rows)}`;
};

const maskOf = ({ shape }) => Object.fromEntries(Object.keys(shape).map((key) => [key, true]));

const statesText = () => {
  const rows = TASK_STATES.map((state) => [
    code(state),
    NEXT_STATES[state].map(code).join(' ') || 'nothing: the task has ended',
    ENTRY_RULES[state] ?? '',
    NOTE_TYPES[state],
  ]);
  return `### States\n\nOf a task. \`VERIFY\` → \`GATHER\` begins another attempt.\n\n${table(
    ['state', 'may be followed by', 'to enter it', 'a note becomes'],
    rows,
  )}`;
};

const shapeText = ([name, shape]) => `### ${name}\n\n${table(FIELD_HEADS, fieldRows(schemaOf(shape)))}`;

// Arguments.

const number = (n) => n.toLocaleString('en-GB');

const boundText = (bound) => {
  if (bound === undefined) return '';
  if (bound.form !== undefined) return bound.form;
  const { unit, least, most } = bound;
  const words = most === Number.MAX_SAFE_INTEGER ? `${number(least)} or more` : `${number(least)} to ${number(most)}`;
  return unit === '' ? words : `${words} ${unit}`;
};

const argumentRows = ({ listed, notes }) =>
  Object.entries(notes.arguments).map(([name, { meaning, bound }]) => {
    const schema = listed.inputSchema.properties[name];
    const isRequired = (listed.inputSchema.required ?? []).includes(name);
    const otherwise = schema.default === undefined ? '' : code(JSON.stringify(schema.default));
    return [code(name), isRequired ? 'yes' : '', typeOf(schema), boundText(bound), otherwise, meaning];
  });

const argumentsText = (tool) =>
  Object.keys(tool.notes.arguments).length === 0
    ? 'No arguments.'
    : table(['argument', 'required', 'type', 'bounds', 'default', 'meaning'], argumentRows(tool));

// Errors.

const detailsText = (shape) =>
  shape === undefined
    ? ''
    : Object.entries(shape.shape)
        .map(([name, field]) => code(field.safeParse(undefined).success ? `${name}?` : name))
        .join(', ');

const errorsText = ({ notes, config }) => {
  const own = Object.entries(notes.errors);
  if (own.length === 0) return 'No errors of its own.';
  const pattern = config.errorPattern ?? 'A';
  const rows = own.map(([name, { when, details }]) => [code(name), when, detailsText(details)]);
  return `Errors of its own (pattern ${pattern}):\n\n${table(['code', 'when', 'details'], rows)}`;
};

// Examples.

const WIDTH = 118;
const MOST_CHARS = 200;

const cut = (value) => {
  if (typeof value === 'string') return value.length > MOST_CHARS ? `${value.slice(0, MOST_CHARS)}…` : value;
  if (Array.isArray(value)) return value.map(cut);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner)]));
};

const oneLine = (value) => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${oneLine(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

/** JSON that people can read: one line where it fits. `before`: what stands in front of it. */
const pretty = (value, indent = '', before = 0) => {
  const flat = oneLine(value);
  if (value === null || typeof value !== 'object' || before + indent.length + flat.length <= WIDTH) return flat;
  const deeper = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => `${deeper}${pretty(item, deeper)}`)
    : Object.entries(value).map(([name, inner]) => {
        const key = `${JSON.stringify(name)}: `;
        return `${deeper}${key}${pretty(inner, deeper, key.length)}`;
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
};

const exampleText = ({ tool, arguments: args, result }) => {
  const call = pretty({ name: tool, arguments: args });
  return `\`\`\`json\n${call}\n\`\`\`\n\n\`\`\`json\n${pretty(cut(result))}\n\`\`\``;
};

// The whole.

const effectText = ({ config, notes }) => {
  if (notes.effects === undefined) return config.effect;
  return Object.entries(notes.effects)
    .map(([effect, args]) => {
      const names = Object.keys(args).map(code).join(', ');
      return names === '' ? effect : `${effect} with ${names}`;
    })
    .join('; ');
};

const annotationText = ({ config }) =>
  Object.entries(config.annotations ?? {})
    .map(([name, value]) => code(`${name}: ${value}`))
    .join(', ');

const modesOf = (name, byMode) => Object.keys(byMode).filter((mode) => byMode[mode].includes(name));

const toolText = (tool, byMode, example) => `## ${tool.name}

> ${tool.config.description}

${tool.notes.when}

${[
  `Effect: ${effectText(tool)}`,
  `modes: ${modesOf(tool.name, byMode).join(', ')}`,
  `annotations: ${annotationText(tool)}`,
].join('; ')}.

${argumentsText(tool)}

${dataText(tool.definition.output)}

${errorsText(tool)}

${exampleText(example)}`;

const overview = (tools, byMode) =>
  table(
    ['tool', 'effect', 'errors', ...Object.keys(byMode)],
    tools.map((tool) => [
      `[${tool.name}](#${tool.name})`,
      effectText(tool),
      tool.config.errorPattern ?? 'A',
      ...Object.keys(byMode).map((mode) => (byMode[mode].includes(tool.name) ? 'yes' : '')),
    ]),
  );

const commonErrors = () =>
  table(
    ['code', 'meaning'],
    COMMON.map((name) => [code(name), ERRORS[name].meaning]),
  );

const INTRO = `<!-- Written by scripts/document-tools.mjs from the definitions of the tools (\`defineTool\`, one file each) and a real
session of their examples: change those, then \`npm run docs\`. test/tools-doc.test.ts keeps it so. -->

Colibri's own tools, as a client calls them. The \`reputation_*\` tools and \`vrf_eval\` are there where
\`COLIBRI_TOOLSETS\` names their sets (\`reputation\`, \`consensus\`)
([configuration.md](configuration.md)). The four \`router_*\` tools are there where there is a switchboard, and so are the tools of other servers ([switchboard.md](switchboard.md)).`;

const envelopeText = ({ 'pattern A': a, 'pattern B': b }) => `## Results

Every result is an envelope, in \`structuredContent\` and, as RFC 8785 text, in \`content[0].text\`: \`{"ok": true, "data": …}\` or
\`{"ok": false, "error": {"code", "message", "details"?}}\`. What is recorded carries \`_meta["dev.colibri/receipt"]\`. No result exceeds
24 KB, but for \`thought_record_list\` with \`thought_id\`: lists return fewer rows and a cursor.

Times are ISO 8601 in UTC with milliseconds. A *hash* is 64 hexadecimal digits, a *digest* \`sha256:\` and 64 of them, a *cursor* any text
that a result gave: one that was made up or belongs to another filter is \`INVALID_PARAMS\`. A field marked \`?\` may be absent; absent
values are null otherwise. Arguments that a tool does not know are refused with the nearest name, except by \`server_ping\` and
\`server_health\`.

**Arguments** that do not fit are read as they were meant if only one reading is possible: \`"5"\` for a number, \`"true"\` for a boolean,
\`"[]"\` for a list, one value for a list of one, \`"High"\` for \`high\`, blanks around an id, the JSON text of an object. Free text and names are
never changed. A word from elsewhere, such as \`in_progress\` or \`todo\`, is refused with the value that is meant. A call is recorded with
its arguments as they came; an \`idempotency_key\` compares them as they were read.

**Errors** say what happened and what to do in at most 300 characters; \`details.next\` is a list of calls that work as they are. A
refusal always has \`isError: true\`, and a tool's own *no* comes in one of two patterns. **A**: the top-level code is \`HANDLER_ERROR\`, and
the tool's code begins the message.

${exampleText(a)}

**B**: the call itself succeeded, \`data.ok\` is false.

${exampleText(b)}

Whatever the tool, a call may end in one of these, always in the top-level \`error\` ([errors.md](errors.md)). \`details\` may hold \`remedy\`,
\`retry_after_ms\`, \`cause\` (the code underneath) and \`issues\` (what is wrong with the arguments).

${commonErrors()}

Examples are from a real session. Ids, hashes, times and figures were made the same for every run, and long texts are cut.`;

export const renderTools = ({ tools, byMode, examples }) =>
  `${[
    '# Tools',
    INTRO,
    overview(tools, byMode),
    envelopeText(examples),
    '## Shapes',
    statesText(),
    ...Object.entries(NAMED).map(shapeText),
    ...tools.map((tool) => toolText(tool, byMode, examples[tool.name])),
  ].join('\n\n')}\n`;
