// Finds a session for a thought that names no session, so that agents need not manage sessions. The thought goes to the open session of its
// task; if there is none, Colibri opens a session for that task or for this Colibri process, and seals the session later.
import type { Writing } from '../../call/define-tool.js';
import { insertSession, openSessionOf, openSessionsBy } from './repository.js';
import { processOpener } from './seal.js';

const PROCESS_INTENT = 'Thoughts outside any open task';

export interface LightThought {
  readonly agentId: string | null;
  readonly taskId?: string;
  /** The title of the thought's task, which becomes the intent of a new session. */
  readonly intent?: string;
  /** True if the thought's task has ended. A session opened for that task now would never be sealed: that happens when the task ends. */
  readonly ended?: boolean;
}

/** The id of the open session for a thought that names no session; undefined if there is none. */
export const openLightSession = async (
  { tx, instance }: Pick<Writing, 'tx' | 'instance'>,
  { taskId, ended = false }: Pick<LightThought, 'taskId' | 'ended'>,
): Promise<string | undefined> => {
  const ofTask = taskId === undefined ? undefined : await openSessionOf(tx, taskId);
  if (ofTask !== undefined || (taskId !== undefined && !ended)) return ofTask;
  const [ofProcess] = await openSessionsBy(tx, processOpener(instance));
  return ofProcess;
};

/** The id of the session for a thought that names no session. Opens a session if needed. */
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
