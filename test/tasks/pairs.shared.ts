// What pairs.test.ts and pairs.deep.test.ts share: the tools of a served process.
import { expect } from 'vitest';
import type { AnyClient } from '../support/serve.js';
import { type Answer, errorIn } from './task-tools.js';

export const toolsOf = (client: AnyClient) => {
  const call = async (tool: string, args: Answer = {}): Promise<Answer> =>
    (await client.callTool(tool, args)).structuredContent;
  const ok = async (tool: string, args: Answer = {}): Promise<Answer> => {
    const answer = await call(tool, args);
    expect(errorIn(answer), `${tool} ${JSON.stringify(args)}`).toBeUndefined();
    return answer.data;
  };
  return { call, ok };
};

export const ERAS = ['v2 legacy', 'v2 modern'] as const;
