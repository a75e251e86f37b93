// The check `servers`: which MCP servers behind running Colibri processes get no calls because they are unhealthy.
import { count } from '../../core/figures.js';
import { readingStore } from '../access.js';
import { processesOf, type ServerStatus, serverStates } from '../processes.js';
import { ago } from '../screen/time.js';
import { type Check, type DoctorFinding, ok, openable, warning } from './finding.js';

const OUT: readonly string[] = ['UNHEALTHY', 'QUARANTINE'];

const outText = ({ server, pid, state, since, reason }: ServerStatus, several: boolean, nowMs: number): string => {
  const where = several ? ` in process ${pid}` : '';
  return `server ${server} has been in ${state} for ${ago(since, nowMs)} (since ${since})${where}${reason === null ? '' : `: ${reason}`}`;
};

const remedyFor = ({ server }: ServerStatus): string =>
  `It gets no calls until it is healthy: see colibri switchboard, and for the history colibri log --kind health --server ${server}`;

export const servers: Check = {
  name: 'servers',
  run: async (scene): Promise<readonly DoctorFinding[]> => {
    const at = openable(scene);
    if (at === undefined) return [];
    const { alive, states } = await readingStore(at, async (store) => {
      const { alive } = await processesOf(store);
      return { alive, states: await store.read((tx) => serverStates(tx, alive)) };
    });
    if (states.length === 0) return [];
    const out = states.filter(({ state }) => OUT.includes(state));
    if (out.length === 0) return [ok(`${count(states.length, 'server')}, none is out of service`)];
    return out.map((one) => warning(outText(one, alive.length > 1, Date.now()), remedyFor(one)));
  },
};
