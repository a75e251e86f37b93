// Every example of every tool, on the built process, through the clients people use, in both eras: what a definition says is what a
// caller gets.
import { describe, expect, it } from 'vitest';
import { casesHere, test } from '../support/by-gate.js';
import { connect, freshPlace, type Message } from '../support/serve.js';
import { codeIn, documented, examplePlayer } from '../support/tool-definitions.js';

const { tools, DATA, NOTES } = await documented();
const { furnish, playExamples } = await examplePlayer();

/** The refusal in an answer: B inside `data`, A and everybody's beside it. */
const refusalIn = ({
  ok,
  data,
  error,
}: Message): { readonly isInData: boolean; readonly error: Message } | undefined => {
  if (ok === false) return { isInData: false, error };
  return data.ok === false ? { isInData: true, error: data.error } : undefined;
};

describe.each(casesHere(['v2 modern', 'v1'] as const))('%s', (kind) => {
  it('every example is answered as its definition says', { timeout: 90_000 }, async () => {
    const place = freshPlace();
    const { project, board } = furnish(place.dir);
    const { COLIBRI_DB_PATH: _elsewhere, ...env } = place.env;
    const shop = { ...place, dir: project, env };
    const played = await playExamples(tools, async (needsBoard, use) => {
      const sets = { COLIBRI_TOOLSETS: 'reputation,consensus' };
      const client = await connect(shop, kind, needsBoard ? { ...sets, COLIBRI_SWITCHBOARD: board } : sets);
      await use(async (tool, args) => (await client.callTool(tool, args)).structuredContent);
      await client.close();
    });

    for (const { tool, arguments: args, result, error } of played) {
      const what = `${tool} ${JSON.stringify(args)}\n${JSON.stringify(result)}`;
      const refusal = refusalIn(result);
      expect(refusal && codeIn(refusal.error), what).toBe(error);
      if (refusal === undefined) expect(DATA[tool]?.safeParse(result.data).error?.issues ?? [], what).toEqual([]);
      else {
        const said = NOTES[tool]?.errors[error ?? ''];
        expect(said, `${what}: its definition does not list the code`).toBeDefined();
        expect(refusal.isInData, what).toBe(error?.startsWith('ERR_'));
        expect(said?.details?.safeParse(refusal.error.details).error?.issues ?? [], what).toEqual([]);
      }
    }
    expect(played).toHaveLength(tools.flatMap(({ definition }) => definition.examples).length);
  });
});

test('every tool has an example that succeeds', () => {
  const without = tools.filter(({ definition }) => definition.examples.every(({ error }) => error !== undefined));
  expect(without.map(({ name }) => name)).toEqual([]);
});
