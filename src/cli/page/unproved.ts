// What a page shows besides records: the present state of servers, leases, approvals and processes. No record proves it, and the page says so.
import { taskId } from '../../domains/tasks/task.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { ReadTx, Store } from '../../store/store.js';
import { isOver, waitingApprovals } from '../../switchboard/records/approval-repository.js';
import { allStates, FILE_ROW, ROUTES_ROW } from '../../switchboard/records/states-repository.js';
import { CLI_LIMITS } from '../limits.js';
import { processesOf } from '../processes.js';
import { leasesHeld } from './repository.js';

const isServer = ({ server }: { readonly server: string }): boolean => server !== FILE_ROW && server !== ROUTES_ROW;

const serversOf = async (tx: ReadTx, alive: ReadonlySet<string>): Promise<JsonObject[]> =>
  (await allStates(tx))
    .filter((row) => isServer(row) && alive.has(row.instance))
    .map(({ place: _place, at: _at, ...row }) => row);

const leasesOf = async (tx: ReadTx, now: string): Promise<JsonObject[]> =>
  (await leasesHeld(tx, now)).map(({ task_n, holder, until }) => ({ task: taskId(task_n), holder, until }));

/** The calls that a person was asked about. Their arguments are beside the records of the calls, where the page has them: redacted, and left out with the others. */
const waitingOf = async (tx: ReadTx, now: string): Promise<JsonObject[]> =>
  (await waitingApprovals(tx))
    .filter((row) => row.state === 'asked' && !isOver(row, now))
    .slice(0, CLI_LIMITS.pageWaiting)
    .map(({ approval_id: id, server, tool, call_id: call, asked_at: since, expires_at: until }) => ({
      ...{ id, server, tool, call, since, until },
    }));

/** The processes that are alive; asked before the snapshot is taken, because it asks the file system too. */
export const processesAlive = async (store: Store): Promise<readonly JsonObject[]> =>
  (await processesOf(store, CLI_LIMITS.lookInstances)).alive.map(({ instance, pid, started_at, node }) => ({
    instance,
    pid,
    started_at,
    node,
  }));

/** The present state, as the snapshot has it. */
export const unprovedIn = async (tx: ReadTx, alive: readonly JsonObject[], now: string): Promise<JsonObject> => ({
  processes: alive,
  servers: await serversOf(tx, new Set(alive.map(({ instance }) => String(instance)))),
  leases: await leasesOf(tx, now),
  waiting: await waitingOf(tx, now),
});
