// What is known of each machine that writes a store: its log, its key, when it wrote last, which of its processes live, who holds tasks through it.

import { acceptedIn } from '../../ledger/binding.js';
import { coveringCheckpoint } from '../../ledger/prove.js';
import { acceptedKeys, acceptedKeysIn } from '../../ledger/team/other-logs.js';
import { verifierOf } from '../../ledger/tree.js';
import { originOf } from '../../proof/checkpoint.js';
import { vkeyOf } from '../../proof/verifier.js';
import type { ReadTx } from '../../store/store.js';
import type { KnownInstance } from '../instances-repository.js';
import type { StoreAt } from '../place.js';
import { recordTime } from '../records/log-repository.js';
import { allLogs, type LogInfo } from '../records/record-repository.js';
import { leasesByLog } from './repository.js';

const trustOf = (at: StoreAt, { log_id, node }: LogInfo, accepted: ReadonlySet<string>) => {
  if (node === at.node || at.keys.find(log_id) !== undefined) return 'own key';
  return accepted.has(log_id) ? 'accepted' : 'not accepted';
};

/** Every open log with the machine that writes it. `alive`: the living processes. */
export const nodesOf = async (tx: ReadTx, at: StoreAt, alive: readonly KnownInstance[]) => {
  const accepted = new Set(acceptedKeys(acceptedKeysIn(at.config.directories.state)).map(({ log }) => log));
  const leases = await leasesByLog(tx, new Date().toISOString());
  const { copy } = await acceptedIn(tx, at.heads); // logs that came with another store have no machine here
  const nodes = [];
  for (const log of (await allLogs(tx)).filter(({ log_id, closed_at }) => closed_at === null && !copy.has(log_id))) {
    const { log_id, node, size, base, public_key } = log;
    nodes.push({
      node,
      log: log_id,
      own: node === at.node,
      vkey: vkeyOf(verifierOf(originOf(log_id), Buffer.from(public_key, 'hex'))),
      trust: trustOf(at, log, accepted),
      size,
      signed_size: (await coveringCheckpoint(tx, { log: log_id, seq: 0 }))?.size ?? 0,
      known_head: at.heads.largest(log_id),
      last_seen: size === 0 ? null : ((await recordTime(tx, base + size - 1)) ?? null),
      processes: alive.filter((one) => one.log_id === log_id).map(({ pid, started_at }) => ({ pid, started_at })),
      leases: leases.get(log_id) ?? [],
    });
  }
  return nodes;
};

export type NodeStatus = Awaited<ReturnType<typeof nodesOf>>[number];

/** Lines about one machine, for a person. */
export const nodeLines = ({
  node,
  own,
  log,
  size,
  known_head,
  last_seen,
  processes,
  leases,
  trust,
}: NodeStatus): string[] => [
  `${node}${own ? ' (this machine)' : ''}`,
  `  log ${log}: ${size} records, newest known head ${known_head}, key: ${trust}`,
  `  last seen ${last_seen ?? 'never'}; ${processes.length === 0 ? 'no process runs' : `processes ${processes.map(({ pid }) => pid).join(', ')}`}`,
  ...(leases.length === 0 ? [] : [`  holds ${leases.join(', ')}`]),
];
