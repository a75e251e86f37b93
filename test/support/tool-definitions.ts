// The definitions of the built tools, as docs/tools.md is made from them.
import type * as z from 'zod';
import type { Message } from './serve.js';

export interface DocumentedTool {
  readonly name: string;
  readonly definition: {
    readonly output: z.ZodType;
    readonly examples: readonly { readonly args: Message; readonly error?: string }[];
  };
  readonly notes: { readonly errors: Readonly<Record<string, { readonly details: z.ZodType | undefined }>> };
}

export interface PlayedExample {
  readonly tool: string;
  readonly arguments: Message;
  /** The envelope. */
  readonly result: Message;
  readonly error: string | undefined;
}

type Call = (tool: string, args: Message) => Promise<Message>;

const load = async <T>(file: string): Promise<T> =>
  (await import(/* @vite-ignore */ new URL(`../../scripts/tools-doc/${file}`, import.meta.url).href)) as T;

interface Registry {
  readonly registeredTools: () => readonly DocumentedTool[];
  readonly COMMON: readonly string[];
}

/** Tools by name: the shape of `data`, and what is said of errors; the codes that any call may end in. */
export const documented = async () => {
  const { registeredTools, COMMON } = await load<Registry>('registry.mjs');
  const tools = registeredTools();
  const byName = <T>(of: (tool: DocumentedTool) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(tools.map((tool) => [tool.name, of(tool)]));
  return { tools, COMMON, DATA: byName(({ definition }) => definition.output), NOTES: byName(({ notes }) => notes) };
};

export const examplePlayer = () =>
  load<{
    readonly furnish: (folder: string) => { readonly project: string; readonly board: string };
    readonly playExamples: (
      tools: readonly DocumentedTool[],
      serve: (needsBoard: boolean, use: (call: Call) => Promise<void>) => Promise<void>,
    ) => Promise<readonly PlayedExample[]>;
  }>('session.mjs');

/** The domain's code: in pattern A it begins the message. */
export const codeIn = ({ code, message }: Message): string =>
  code === 'HANDLER_ERROR' ? (/^([A-Z_]+): /.exec(message)?.[1] ?? code) : code;
