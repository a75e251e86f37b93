// What open-calls.test.ts and open-calls.deep.test.ts share: what doctor and status say about processes that died.
import { colibri, json } from '../support/command-line.js';
import type { Message, Place } from '../support/serve.js';

export const processesTold = async (place: Place): Promise<Message[]> =>
  json(await colibri(place, ['doctor', '--json'])).findings.filter(({ check }: Message) => check === 'processes');

export const diedLine = async (place: Place): Promise<string | undefined> =>
  (await colibri(place, ['status'])).stdout
    .split('\n')
    .find((line) => line.includes('died'))
    ?.trim();
