// Finds a session for a thought that names no session, so that agents need not manage sessions. The thought goes to the open session of its
// task; if there is none, Colibri opens a session for that task or for this Colibri process, and seals the session later.
import type { Writing } from '../../call/define-tool.js';
import { insertSession, openSessionOf, openSessionsBy } from './repository.js';
import { processOpener } from './seal.js';

const PROCESS_INTENT = 'Thoughts outside any open task';

export interface LightThought {
  readonly agent_id: string | null;
  readonly task_id?: string;
  /** The title of the thought's task, which becomes the intent of a new session. */
  readonly intent?: string;
  /** True if the thought's task has ended. A session opened for that task now would never be sealed: that happens when the task ends. */
  readonly ended?: boolean;
}

/** The id of the open session for a thought that names no session; undefined if there is none. */
export const openLightSession = async (
  { tx, instance }: Pick<Writing, 'tx' | 'instance'>,
  { task_id, ended = false }: Pick<LightThought, 'task_id' | 'ended'>,
): Promise<string | undefined> => {
  const ofTask = task_id === undefined ? undefined : await openSessionOf(tx, task_id);
  if (ofTask !== undefined || (task_id !== undefined && !ended)) return ofTask;
  const [ofProcess] = await openSessionsBy(tx, processOpener(instance));
  return ofProcess;
};

/** The id of the session for a thought that names no session. Opens a session if needed. */
export const lightSession = async (work: Writing, thought: LightThought): Promise<string> => {
  const open = await openLightSession(work, thought);
  if (open !== undefined) return open;
  const { agent_id, task_id, intent = '', ended = false } = thought;
  const session =
    task_id === undefined || ended
      ? { intent: PROCESS_INTENT, task_id: null, opened_by: processOpener(work.instance) }
      : { intent, task_id, opened_by: 'colibri' };
  return (await insertSession(work, { ...session, agent_id, started_at: work.now })).session_id;
};
