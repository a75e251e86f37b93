// Reports logs that a `rotate` record names as successors and that the store does not have. If somebody removed such a log from the
// store, its signed heads may still be in the heads folder.
import { count } from '../../core/figures.js';
import { originOf } from '../../proof/checkpoint.js';
import type { Executor } from '../executor.js';
import type { KnownKey } from '../heads/known-heads.js';
import { addFinding } from '../verdict/finding-list.js';
import { isRotated, type LogWalk } from './log-walk.js';

const VKEY = /^([^+]+)\+[0-9a-f]{8}\+([A-Za-z0-9+/]+=*)$/;
const LOG_ID = /^[0-9a-f]{32}$/;

/** The log and public key in a vkey (a verifier key as text); undefined if the vkey does not name a Colibri log. */
const logIn = (vkey: unknown): KnownKey | undefined => {
  const [, name = '', encoded = ''] = typeof vkey === 'string' ? (VKEY.exec(vkey) ?? []) : [];
  const log = name.slice(originOf('').length);
  if (name !== originOf(log) || !LOG_ID.test(log)) return undefined;
  return { log, publicKey: Buffer.from(encoded, 'base64').subarray(1).toString('hex') };
};

const tellHeads = async (executor: Executor, dir: string, successor: KnownKey, { found }: LogWalk): Promise<void> => {
  const { notes } = await executor.run('heads', { dir, logs: [successor.log] });
  const { heads } = await executor.run('notes', { notes, logs: [successor] });
  for (const { head } of heads) {
    const signed = `${head.from} was signed for ${count(head.size, 'record')}`;
    addFinding(found, 'head', { log: successor.log }, `${signed} of a log that is not in the store.`);
  }
};

/** Reports missing successors. To be called when all records of all logs were read. */
export const checkMissingSuccessors = async (
  executor: Executor,
  walks: readonly LogWalk[],
  headsDir: string | undefined,
): Promise<void> => {
  for (const walk of walks.filter(isRotated)) {
    const successor = logIn(walk.history.last?.successor);
    if (successor === undefined || walks.some(({ state }) => state.log === successor.log)) continue;
    const where = { log: walk.state.log, table: 'logs' };
    addFinding(
      walk.found,
      'log',
      where,
      `The log names log ${successor.log} as its successor, which is not in the store.`,
    );
    if (headsDir !== undefined) await tellHeads(executor, headsDir, successor, walk);
  }
};
