// Says in a few words what a call was about: the task that it moved, the argument that names its matter, the server that stood in for another.
import { parseObject } from '../../proof/canonical-json.js';
import { CLI_LIMITS } from '../limits.js';
import { type CallView, lastTry } from '../records/call-view.js';

const moved = ({ changes }: CallView): string | undefined => {
  const [first, ...others] = changes;
  if (first === undefined) return undefined;
  const tasks = new Set(changes.map(({ task_id }) => task_id));
  if (tasks.size > 1) return `${first.task_id} → ${first.to} +${tasks.size - 1}`;
  return `${first.task_id} → ${others.at(-1)?.to ?? first.to}`;
};

const made = ({ subjects }: CallView): string | undefined => {
  const ids = subjects.filter(({ type }) => type === 'task' || type === 'lease').map(({ id }) => id);
  const [first, ...others] = new Set(ids);
  if (first === undefined) return undefined;
  return others.length === 0 ? first : `${first} +${others.length}`;
};

/** The server that answered although it was not the first of its route. */
const fellBack = (call: CallView): string | undefined => {
  const last = lastTry(call);
  const first = call.route?.candidates[0]?.server ?? last?.server;
  return call.route?.name == null || last === undefined || last.server === first
    ? undefined
    : `fell back to ${last.server}`;
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ');
  return line.length <= CLI_LIMITS.aboutChars ? line : `${line.slice(0, CLI_LIMITS.aboutChars - 1)}…`;
};

/** The first argument that is a text, a number or a truth value; a task is named by its id alone. */
const argument = (json: string | null | undefined): string | undefined => {
  const args = parseObject(json ?? '{}');
  if (typeof args.task_id === 'string') return args.task_id;
  const [key, value] = Object.entries(args).find(([, one]) => one !== null && typeof one !== 'object') ?? [];
  return key === undefined ? undefined : `${key}=${shown(value)}`;
};

/** What a call was about, the unusual first: the end may be cut. `asked`: its stored arguments as JSON; null if they are not kept. */
export const aboutText = (call: CallView, asked: string | null | undefined): string =>
  [fellBack(call), moved(call) ?? made(call) ?? argument(asked)].filter((part) => part !== undefined).join(', ');
