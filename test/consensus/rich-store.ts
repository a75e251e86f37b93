// A store with everything that rounds leave behind: a draw, a decision, a double vote, an enrolled voter's vote about a call, a round of another store,
// and a signature of somebody else.
import { generateKeyPairSync } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connect, freshPlace, type Place } from '../support/serve.js';
import { onOwnTerminal } from '../trust/answering.js';
import { ask, CONSENSUS, propose, untilFinality, vote } from './shared.js';
import { tell } from './stores.js';

/** A key file as a witness on another machine has it, and its public part. */
export const keyFile = (place: Place, name: string): { readonly file: string; readonly key: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const file = join(place.dir, `${name}.key`);
  fs.writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { file, key: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex') };
};

const DIGEST = 'd'.repeat(64);

export const richStore = async (): Promise<Place> => {
  const [place, away] = [freshPlace(), freshPlace()];
  const witness = keyFile(away, 'witness');
  const env = { ...CONSENSUS, COLIBRI_WITNESSES: witness.key };
  const first = await connect(place, 'v2 modern', env);
  const draw = { from: ['ada', 'bob', 'cyd', 'dan'], count: 3 };
  const drawn = await propose(first, { statement: 'drawn', draw, need: 2 });
  const { voters } = await untilFinality(first, drawn.round_id, ({ status }) => status === 'open');
  await ask(first, 'consensus_vote', { round_id: drawn.round_id, voter: voters[0], vote: 'approve', reason: 'good' });
  await vote(first, drawn.round_id, voters[1]);
  await vote(first, drawn.round_id, voters[1], 'reject');
  await untilFinality(first, drawn.round_id, ({ level }) => level === 'HARD');
  const open = await propose(first, { statement: 'open', voters: ['eve', 'fay'] });
  await vote(first, open.round_id, 'eve');
  await first.close();

  const { code, text } = await onOwnTerminal(place, ['voters', 'add', 'gus']);
  expect(code, text).toBe(0);
  const file = join(place.home, 'state', 'colibri', 'voters', 'gus.key');
  const enrolled = await connect(place, 'v2 legacy', { ...env, COLIBRI_VOTER_KEY: file });
  const action = { server: 's', tool: 't', exact: DIGEST, definition: DIGEST };
  const other = await connect(place, 'v1', env);
  const about = await propose(other, { statement: 'call it', action, voters: ['gus'] });
  expect(await vote(enrolled, about.round_id, 'gus')).toMatchObject({ identity: 'enrolled', level: 'QUORUM' });

  const foreign = await connect(away, 'v2 modern', { ...CONSENSUS, COLIBRI_VOTER_KEY: witness.file });
  const theirs = await propose(foreign, { statement: 'theirs', need: 1 });
  await vote(foreign, theirs.round_id, 'hal');
  await untilFinality(foreign, theirs.round_id, ({ level }) => level === 'HARD');
  await tell(foreign, (await tell(other)).bundle);
  await tell(other, (await tell(foreign)).bundle);
  await untilFinality(other, drawn.round_id, ({ level }) => level === 'ABSOLUTE');
  for (const client of [enrolled, other, foreign]) await client.close();
  return place;
};
