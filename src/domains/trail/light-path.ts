// The light path: a thought belongs to a session, but nobody has to manage one. Without a session it goes to the open
// one of its task, else to one that Colibri opens, and seals, for that task or for this process.
import type { Writing } from '../../call/define-tool.js';
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

/** The session that is already open for a thought without one. */
export const openLightSession = async (
  { tx, instance }: Pick<Writing, 'tx' | 'instance'>,
  { taskId, ended = false }: Pick<LightThought, 'taskId' | 'ended'>,
): Promise<string | undefined> => {
  const ofTask = taskId === undefined ? undefined : await openSessionOf(tx, taskId);
  if (ofTask !== undefined || (taskId !== undefined && !ended)) return ofTask;
  const [ofProcess] = await openSessionsBy(tx, processOpener(instance));
  return ofProcess;
};

/** The session that a thought without one goes to. */
export const lightSession = async (work: Writing, thought: LightThought): Promise<string> => {
  const open = await openLightSession(work, thought);
  if (open !== undefined) return open;
  const { tx, evidence, now, instance } = work;
  const { agentId, taskId, intent = '', ended = false } = thought;
  const session =
    taskId === undefined || ended
      ? { intent: PROCESS_INTENT, taskId: null, openedBy: processOpener(instance) }
      : { intent, taskId, openedBy: 'colibri' };
  return (await insertSession(tx, evidence, { ...session, agentId, at: now })).session_id;
};
