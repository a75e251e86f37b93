// docs/tools.md is what its generator writes, and the generator notices when its notes and the registry part ways.
import { expect, it } from 'vitest';

interface Tool {
  readonly name: string;
  readonly notes: {
    readonly arguments: Record<string, { meaning: string; bound?: { least: number; most: number } }>;
    readonly errors: object;
  };
}

interface Registry {
  readonly registeredTools: () => readonly Tool[];
  readonly assertAgreement: (tools: readonly Tool[], onWire: readonly string[]) => void;
}

/** The tools with one thing changed in the notes of `task_create`. */
const withTitle = (tools: readonly Tool[], title: Tool['notes']['arguments'][string] | undefined): readonly Tool[] =>
  tools.map((tool) => {
    if (tool.name !== 'task_create') return tool;
    const { title: _old, ...rest } = tool.notes.arguments;
    return { ...tool, notes: { ...tool.notes, arguments: title === undefined ? rest : { ...rest, title } } };
  });

it('notes that do not fit the registry are refused', async () => {
  const specifier = new URL('../scripts/tools-doc/registry.mjs', import.meta.url).href;
  const { registeredTools, assertAgreement } = (await import(/* @vite-ignore */ specifier)) as Registry;
  const tools = registeredTools();
  const names = tools.map(({ name }) => name);
  const title = (least: number, most: number) => ({ meaning: 'x', bound: { unit: 'characters', least, most } });
  expect(() => assertAgreement(tools, names)).not.toThrow();
  expect(() => assertAgreement(tools, [...names, 'task_delete'])).toThrow(/task_delete is missing here/);
  expect(() => assertAgreement(tools.slice(1), names)).toThrow(/server_ping is missing here/);
  expect(() => assertAgreement(withTitle(tools, undefined), names)).toThrow(/title is missing here/);
  expect(() => assertAgreement(withTitle(tools, title(1, 255)), names)).toThrow(/title takes "xxx/);
  expect(() => assertAgreement(withTitle(tools, title(1, 257)), names)).toThrow(/title refuses "xxx/);
  expect(() => assertAgreement(withTitle(tools, title(0, 256)), names)).toThrow(/title refuses ""/);
  expect(() => assertAgreement(withTitle(tools, { meaning: 'x' }), names)).toThrow(/title refuses "xxx/);
});
