// The tools of consensus in this process, over a real store and its ledger, with a clock to turn and a signature to wait for.
import { join } from 'node:path';
import type { ColibriServerContext } from '../../src/call/context.js';
import { registerTools } from '../../src/call/registry.js';
import type { StatementKey } from '../../src/consensus/signed.js';
import { consensusFinality } from '../../src/domains/consensus/finality.js';
import { consensusGossip } from '../../src/domains/consensus/gossip.js';
import { consensusPropose } from '../../src/domains/consensus/propose.js';
import { consensusVote } from '../../src/domains/consensus/vote.js';
import { vrfEval } from '../../src/domains/consensus/vrf-eval.js';
import { Backlog } from '../../src/ledger/calls/backlog.js';
import { headsIn } from '../../src/ledger/heads.js';
import { keyRing } from '../../src/ledger/keys.js';
import { createSigner } from '../../src/ledger/signer.js';
import { fiveStages } from '../../src/middleware/chain.js';
import { createServer } from '../../src/server.js';
import { requestOf } from '../support/requests.js';
import type { Message } from '../support/serve.js';
import { openLedger, temporaryFolder } from '../support/stores.js';

export interface ConsensusChoice {
  readonly gates?: boolean;
  readonly voterKey?: StatementKey | { readonly problem: string };
  readonly lineage?: readonly string[];
  isHidden?: boolean;
}

export const openConsensus = async (choice: ConsensusChoice = {}) => {
  const dir = temporaryFolder();
  const { store, ledger, records } = await openLedger(dir);
  const clock = { ms: Date.parse('2026-11-19T09:00:00.000Z') };
  const ctx: ColibriServerContext = {
    ...createServer({ mode: 'FULL', logger: () => {}, installGlobalHandlers: false }),
    ...{ db: store, ledger, backlog: new Backlog(), now: () => new Date(clock.ms).toISOString() },
  };
  const needs = {
    ...{ gates: choice.gates ?? false, witnesses: [], lineage: async () => choice.lineage ?? [] },
    isHidden: async () => choice.isHidden ?? false,
    voterKey: () => choice.voterKey,
  };
  registerTools(ctx, [consensusPropose, consensusVote, consensusFinality, consensusGossip, vrfEval], needs);
  const run = fiveStages(ctx);
  const signer = createSigner({
    ...{ store, log: ledger.log.id, keys: keyRing({ dir: join(dir, 'keys') }), heads: headsIn(join(dir, 'heads')) },
    ...{ warn: () => {}, onBroken: () => {} },
  });
  const call = async (name: string, args: Message = {}, client = 'asker'): Promise<Message> => {
    const identity = client === '' ? null : { name: client, version: '1', protocol: '2025-06-18' };
    const reply = await run(requestOf({ name, args, client: identity }));
    if (!('result' in reply)) throw new Error(JSON.stringify(reply));
    const { ok, data, error } = reply.result.structuredContent as Message;
    return ok === false ? { refused: error } : data;
  };
  const hear = (bundle: string): Promise<Message> => call('consensus_gossip', { bundle });
  return {
    ...{ dir, store, ledger, records, call, hear },
    sign: () => signer.sign(),
    pass: (minutes: number): void => {
      clock.ms += minutes * 60_000;
    },
    now: () => new Date(clock.ms).toISOString(),
    /** The credits of all outcomes, as texts. */
    credits: async (): Promise<string[]> =>
      (await records())
        .flatMap(({ credits }) => (credits as Message[] | undefined) ?? [])
        .map(({ node, why }) => `${node} ${why}`),
  };
};
