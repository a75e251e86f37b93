// One statement has one draw: nobody learns it before it is made, and it does not matter which of its rounds is asked about first.
import { expect, it } from 'vitest';
import { openConsensus } from './in-process.js';
import { isRight } from './judging.js';
import { jcs, rootInNote } from './recompute.js';

const draw = { from: ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'], count: 2 };

it('vrf_eval does not tell what a round will draw', async () => {
  const { call, sign } = await openConsensus();
  const round = await call('consensus_propose', { statement: 'x', draw });
  const other = await call('consensus_propose', { statement: 'other', draw });
  await sign();
  const { draw: drawn } = await call('consensus_finality', { round_id: other.round_id });
  const input = jcs({ checkpoint: rootInNote(drawn.checkpoint), root: round.root, round_id: round.round_id });
  for (const one of [input, `${input} `, '{"checkpoint":'])
    expect((await call('vrf_eval', { input: one })).refused?.code, one).toBe('INVALID_PARAMS');
  for (const one of ['', 'who reviews T-0001?', ` ${input}`, '{"checkpoints":1}'])
    expect((await call('vrf_eval', { input: one })).output_hex, one).toHaveLength(128);
});

it('the draw is that of the oldest round about the statement that was not over', async () => {
  const here = await openConsensus();
  const { call, sign, pass } = here;
  const ask = (expires_minutes: number) => call('consensus_propose', { statement: 'x', draw, expires_minutes });
  const over = await ask(1);
  pass(2);
  const ids: string[] = [];
  for (let n = 0; n < 13; n += 1) {
    ids.push((await ask(60)).round_id);
    pass(1);
    if (n % 5 === 0) await sign();
  }
  await sign();
  const look = (round_id: string) => call('consensus_finality', { round_id });
  const last = await look(ids.at(-1) as string);
  expect([last.draw.of, last.repeats.length, last.repeats_total]).toEqual([ids[0], 10, 13]);
  for (const id of ids.slice(0, -1)) {
    const { voters, draw: drawn } = await look(id);
    expect([voters, drawn.output, drawn.of]).toEqual([
      last.voters,
      last.draw.output,
      id === ids[0] ? undefined : ids[0],
    ]);
  }
  expect(await look(over.round_id)).toMatchObject({ status: 'expired', voters: [] });
  expect(await ask(60)).toMatchObject({ repeats_total: 14 });
  await isRight(here);
  const away = await openConsensus();
  expect(await away.hear((await call('consensus_gossip')).bundle)).toMatchObject({ events_refused: 0 });
  await isRight(away);
});
