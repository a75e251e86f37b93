// A check that calls a tool is a call: it passes the five stages as any other, made by Colibri itself and marked `check`.
import { randomUUID } from 'node:crypto';
import type { ColibriServerContext, OwnCheck } from '../call/context.js';
import { LazyCancellation } from '../core/cancellation.js';
import { fiveStages } from './chain.js';

/** Nobody waits for a store on behalf of a check: the next one will find it open. */
const canRecord = ({ gate, ledger }: ColibriServerContext): boolean =>
  gate?.isOpen !== false && ledger !== undefined && ledger.halted === undefined;

/** Runs `tool.call` once the intent is committed. Where it cannot be, nothing runs. */
export const ownChecks = (ctx: ColibriServerContext): ((check: OwnCheck) => Promise<void>) => {
  const run = fiveStages(ctx);
  const client = { name: 'colibri', version: ctx.version, protocol: '' };
  const nobody = {
    host: undefined,
    meta: undefined,
    onProgress: undefined,
    peer: undefined,
    retry: undefined,
    check: true,
  } as const;
  return async ({ name, args, tool }) => {
    if (!canRecord(ctx)) return;
    await run({ ...nobody, id: randomUUID(), name, args, client, cancellation: new LazyCancellation() }, tool);
  };
};
