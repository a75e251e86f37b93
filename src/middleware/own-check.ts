// Runs health checks that call a tool. Such a check passes the five stages like a client's call and is recorded, marked `check`.
import { randomUUID } from 'node:crypto';
import type { ColibriServerContext, OwnCheck } from '../call/context.js';
import { LazyCancellation } from '../core/cancellation.js';
import { fiveStages } from './chain.js';

/** True if a check can be recorded now. A check does not wait for the store: it is skipped, and the next one may find the store open. */
const canRecord = ({ gate, ledger }: ColibriServerContext): boolean =>
  gate?.isOpen !== false && ledger !== undefined && ledger.halted === undefined;

/** Runs a check's `tool.call` once the check's intent is committed. If the intent cannot be committed, nothing runs. */
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
