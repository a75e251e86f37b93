// The light path: a thought belongs to a session, but nobody has to manage one. Without a session it goes to the open
// one of its task, else to one that Colibri opens, and seals, for that task or for this process.
import type { Writing } from '../handler.js';
import { insertSession, openSessionOf, openSessionsBy } from './repository.js';
import { processOpener } from './seal.js';

const PROCESS_INTENT = 'Thoughts outside any open task';

export interface LightThought {
  readonly agentId: string | null;
  readonly taskId?: string;
  /** The task's title. */
  readonly intent?: string;
  /** A session of a task that has ended would never be sealed with it. */
  readonly ended?: boolean;
}

const ofProcess = async ({ tx, evidence, now, instance }: Writing, agentId: string | null): Promise<string> => {
  const openedBy = processOpener(instance);
  const [open] = await openSessionsBy(tx, openedBy);
  const session = { intent: PROCESS_INTENT, taskId: null, agentId, openedBy, at: now };
  return open ?? (await insertSession(tx, evidence, session)).session_id;
};

/** The session that a thought without one goes to. */
export const lightSession = async (work: Writing, thought: LightThought): Promise<string> => {
  const { agentId, taskId, intent = '', ended = false } = thought;
  if (taskId === undefined) return ofProcess(work, agentId);
  const { tx, evidence, now } = work;
  const open = await openSessionOf(tx, taskId);
  if (open !== undefined) return open;
  if (ended) return ofProcess(work, agentId);
  return (await insertSession(tx, evidence, { intent, taskId, agentId, openedBy: 'colibri', at: now })).session_id;
};
