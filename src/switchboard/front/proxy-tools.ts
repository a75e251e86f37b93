// Makes the list of all servers' tools as clients see them, with their public names. Pure; called again whenever the configuration or
// tool list of a server has changed.
import { type NameNote, publicNames } from '../names.js';
import type { SchemaObject } from '../schema-node.js';
import type { SafeTool } from '../server/stored-catalogue.js';

/** A server and those of its tools that may be listed. */
export interface ServerTools {
  readonly name: string;
  readonly prefix: boolean;
  readonly tools: ReadonlyMap<string, Pick<SafeTool, 'definition'>>;
}

export interface PublicTool {
  readonly name: string;
  readonly server: string;
  /** The name that the server gives the tool. */
  readonly tool: string;
  readonly inputSchema: SchemaObject;
  /** The tool's definition as clients get it, under its public name. */
  readonly listed: { readonly name: string; readonly [key: string]: unknown };
}

export interface PublicTools {
  readonly list: readonly PublicTool[];
  readonly byName: ReadonlyMap<string, PublicTool>;
  /** Notes about renamed or left out tools, by server, which `colibri switchboard` shows. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
}

export const NO_TOOLS: PublicTools = { list: [], byName: new Map(), notes: new Map() };

const WHY: Readonly<Record<NameNote['why'], string>> = {
  cut: 'its name was too long',
  changed: 'its name has characters that clients do not accept',
  taken: 'its name was taken',
  prefixed: 'its own name was taken',
  repeated: 'it is listed twice',
  'too many tools': 'the server lists too many tools',
};

const noteText = ({ tool, name, why }: NameNote): string =>
  name === null ? `${tool}: ${WHY[why]}; left out` : `${tool}: ${WHY[why]}; listed as ${name}`;

const notesByServer = (notes: readonly NameNote[]): ReadonlyMap<string, readonly string[]> => {
  const texts = new Map<string, string[]>();
  for (const note of notes) {
    const told = texts.get(note.server);
    if (told === undefined) texts.set(note.server, [noteText(note)]);
    else told.push(noteText(note));
  }
  return texts;
};

/** The tools of all servers with their public names. `own`: names that no tool of a server may get: Colibri's own tools and routes. */
export const publicTools = (servers: readonly ServerTools[], own: readonly string[]): PublicTools => {
  const toolsOf = new Map(servers.map(({ name, tools }) => [name, tools]));
  const named = publicNames(
    servers.map(({ name, prefix, tools }) => ({ name, prefix, tools: [...tools.keys()] })),
    own,
  );
  const list = named.list.flatMap(({ name, server, tool }): PublicTool[] => {
    const definition = toolsOf.get(server)?.get(tool)?.definition;
    if (definition === undefined) return [];
    const inputSchema = definition.inputSchema as SchemaObject;
    return [{ name, server, tool, inputSchema, listed: { ...definition, name } }];
  });
  return { list, byName: new Map(list.map((tool) => [tool.name, tool])), notes: notesByServer(named.notes) };
};
