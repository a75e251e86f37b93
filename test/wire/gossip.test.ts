// Bundles between two stores: votes and decisions travel, double votes are found, changed bundles are refused.
import { expect, it } from 'vitest';
import { ask, CONSENSUS, finality, propose, untilFinality, vote } from '../consensus/shared.js';
import { exchangeAll, NAMES, tell } from '../consensus/stores.js';
import { colibri, json } from '../support/command-line.js';
import { type AnyClient, connect, freshPlace, type Place } from '../support/serve.js';

interface Store {
  readonly place: Place;
  readonly client: AnyClient;
}

const openStore = async (): Promise<Store> => {
  const place = freshPlace();
  return { place, client: await connect(place, 'v2 modern', CONSENSUS) };
};

const verified = async (place: Place): Promise<void> =>
  expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({ exit: 0, findings: [] });

it('votes of another store decide at home; the decision and its checkpoint go back', async () => {
  const [home, away] = [await openStore(), await openStore()];
  const { round_id } = await propose(home.client, { statement: 'x', voters: NAMES, need: 2 });
  expect((await vote(away.client, round_id, 'ada')).refused.message).toBe(`ROUND_NOT_FOUND: ${round_id}`);
  await tell(away.client, (await tell(home.client)).bundle);
  expect(await vote(away.client, round_id, 'ada')).toMatchObject({ vote_signed: true, level: 'SOFT' });
  expect(await vote(home.client, round_id, 'bob')).toMatchObject({ level: 'SOFT' });
  // Only the home decides.
  expect(await vote(away.client, round_id, 'cyd')).toMatchObject({ level: 'SOFT', tally: { approve: 2 } });
  await tell(home.client, (await tell(away.client)).bundle);
  await untilFinality(home.client, round_id, ({ level }) => level === 'HARD');
  await tell(away.client, (await tell(home.client)).bundle);
  expect(await finality(away.client, round_id)).toMatchObject({ level: 'HARD', result: 'approve', status: 'decided' });
  expect((await vote(away.client, round_id, 'dan')).refused.details.reason).toBe('decided');

  // A name that votes otherwise in two stores is found by the bundle, and the decision stays.
  const other = await propose(home.client, { statement: 'y', voters: NAMES, need: 3 });
  await exchangeAll([home.client, away.client]);
  await vote(home.client, other.round_id, 'ada', 'approve');
  await vote(away.client, other.round_id, 'ada', 'reject');
  const heard = await tell(home.client, (await tell(away.client)).bundle);
  expect(heard.equivocations).toEqual([{ round_id: other.round_id, voter: 'ada' }]);
  expect((await finality(home.client, other.round_id)).tally).toMatchObject({ approve: 0, reject: 0, equivocated: 1 });
  expect((await tell(home.client, (await tell(away.client)).bundle)).equivocations).toEqual([]); // said once

  const { bundle } = await tell(home.client);
  const parsed = JSON.parse(bundle);
  const [event] = parsed.body.events;
  for (const wrong of [
    bundle.replace('approve', 'abstain'),
    bundle.slice(1),
    JSON.stringify(parsed, undefined, 1),
    JSON.stringify(event),
    '',
  ])
    expect((await ask(away.client, 'consensus_gossip', { bundle: wrong })).refused.message).toMatch(
      /^INVALID_BUNDLE: /,
    );
  await home.client.close();
  await away.client.close();
  await verified(home.place);
  await verified(away.place);
  const reputation = await connect(home.place, 'v1', { COLIBRI_TOOLSETS: 'reputation' });
  // What another store says of a claimed name counts for nothing: ada voted there, bob at home.
  for (const [node_id, whys] of Object.entries({ ada: [], bob: ['agreed'] })) {
    const { events } = await ask(reputation, 'reputation_history', { node_id, domain: 'arbitration' });
    expect(events.map(({ why }: { why: string }) => why)).toEqual(whys);
  }
  await reputation.close();
});
