// Logs that a rotation names and the store does not have. Their heads may lie beside the others: whoever took such a log
// out of the store left them behind.
import { count } from '../../core/figures.js';
import { originOf } from '../../proof/checkpoint.js';
import type { Executor } from '../executor.js';
import type { KnownKey } from '../heads/known-heads.js';
import { addFinding } from '../verdict/finding-list.js';
import { isRotated, type LogWalk } from './log-walk.js';

const VKEY = /^([^+]+)\+[0-9a-f]{8}\+([A-Za-z0-9+/]+=*)$/;
const LOG_ID = /^[0-9a-f]{32}$/;

/** The log that a vkey is of; none where it is no key of ours. */
const logIn = (vkey: unknown): KnownKey | undefined => {
  const [, name = '', encoded = ''] = typeof vkey === 'string' ? (VKEY.exec(vkey) ?? []) : [];
  const log = name.slice(originOf('').length);
  if (name !== originOf(log) || !LOG_ID.test(log)) return undefined;
  return { log, publicKey: Buffer.from(encoded, 'base64').subarray(1).toString('hex') };
};

const tellHeads = async (executor: Executor, dir: string, heir: KnownKey, { found }: LogWalk): Promise<void> => {
  const { notes } = await executor.run('heads', { dir, logs: [heir.log] });
  const { heads } = await executor.run('notes', { notes, logs: [heir] });
  for (const { head } of heads) {
    const signed = `${head.from} was signed for ${count(head.size, 'record')}`;
    addFinding(found, 'head', { log: heir.log }, `${signed} of a log that is not there.`);
  }
};

/** When every log was walked to its end. */
export const checkHeirs = async (
  executor: Executor,
  walks: readonly LogWalk[],
  headsDir: string | undefined,
): Promise<void> => {
  for (const walk of walks.filter(isRotated)) {
    const heir = logIn(walk.history.last?.successor);
    if (heir === undefined || walks.some(({ state }) => state.log === heir.log)) continue;
    const where = { log: walk.state.log, table: 'logs' };
    addFinding(walk.found, 'log', where, `It names log ${heir.log} as its successor, which is not there.`);
    if (headsDir !== undefined) await tellHeads(executor, headsDir, heir, walk);
  }
};
