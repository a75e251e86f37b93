// The part of `colibri switchboard approve` for servers with `"onChange": "hold"`: shows how their tools differ from those that were approved,
// and takes the tools that were shown as approved.
import { isoClock } from '../../core/clock.js';
import { count } from '../../core/figures.js';
import { quietly } from '../../errors.js';
import { canonicalJson, isObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import {
  type ApprovedTools,
  approveBaseline,
  type BaselineKey,
  readBaseline,
} from '../../switchboard/config/baselines.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { connectionDigest } from '../../switchboard/config/connection.js';
import { listedByAll } from '../../switchboard/records/catalogue-repository.js';
import { type ToolChanged, toolChange } from '../../switchboard/tool-change.js';
import { readingOnce } from '../access.js';
import { findStore, type PlaceOptions } from '../place.js';
import { paint, plain, tellExactly } from '../screen/print.js';

export interface WaitingTools {
  readonly key: BaselineKey;
  /** The tools as the server lists them now, which an approval takes over. */
  readonly now: ApprovedTools;
  readonly approved: ApprovedTools;
  readonly changes: ReadonlyMap<string, ToolChanged>;
}

/** The tools that the server listed last: for each name the newest, since what is listed may depend on the client. */
const listedNow = async (tx: ReadTx, server: ServerConfig): Promise<ApprovedTools> => {
  const all = await listedByAll(tx, { connection: connectionDigest(server), server: server.name });
  return new Map(all.flatMap((tool) => (isObject(tool) ? [[String(tool.name), tool] as const] : [])));
};

const changesOf = (approved: ApprovedTools, now: ApprovedTools): ReadonlyMap<string, ToolChanged> =>
  new Map(
    [...now].flatMap(([name, tool]) => {
      const change = toolChange(approved.get(name), tool);
      return change === undefined ? [] : [[name, change] as const];
    }),
  );

/** The servers whose tools wait for approval, with what changed. */
export const waitingTools = async (
  servers: readonly ServerConfig[],
  project: string,
  options: PlaceOptions & { readonly stateDir: string },
): Promise<readonly WaitingTools[]> => {
  const holding = servers.filter(({ onChange }) => onChange === 'hold');
  const known = holding.flatMap((server) => {
    const key = { project, server: server.name };
    const approved = readBaseline(options.stateDir, key);
    return approved === undefined ? [] : [{ server, key, approved }];
  });
  if (known.length === 0) return [];
  return readingOnce(findStore(options), async (tx) => {
    const waiting: WaitingTools[] = [];
    for (const { server, key, approved } of known) {
      const now = await listedNow(tx, server);
      const changes = changesOf(approved, now);
      if (changes.size > 0) waiting.push({ key, now, approved, changes });
    }
    return waiting;
  });
};

const textOf = (value: unknown): string => quietly(() => canonicalJson(value)) ?? JSON.stringify(value) ?? 'nothing';

const memberLines = (name: string, approved: unknown, now: unknown): readonly string[] => [
  ...(approved === undefined ? [] : [paint('red', plain(`- ${name}: ${textOf(approved)}`))]),
  ...(now === undefined ? [] : [paint('green', plain(`+ ${name}: ${textOf(now)}`))]),
];

const membersOf = (tool: unknown): Readonly<Record<string, unknown>> => (isObject(tool) ? tool : {});

const differenceLines = (
  { approved, now }: WaitingTools,
  tool: string,
  { what, before }: ToolChanged,
): readonly string[] => {
  const [old, current] = [membersOf(approved.get(tool)), membersOf(now.get(tool))];
  const names = before === null ? Object.keys(current) : what;
  return names.flatMap((name) => memberLines(name, old[name], current[name]));
};

/** Prints which tools changed, then how. */
export const showChanges = (waiting: WaitingTools): void => {
  const { key, changes } = waiting;
  tellExactly(
    `  ${paint('bold', plain(key.server))}: ${count(changes.size, 'tool')} changed or appeared since they were approved`,
  );
  for (const [tool, { what }] of changes) tellExactly(`    ${plain(`${tool}: ${what.join(', ')}`)}`);
  for (const [tool, change] of changes) {
    tellExactly(`  ${plain(tool)}`);
    for (const line of differenceLines(waiting, tool, change)) tellExactly(`    ${line}`);
  }
};

/** Takes the tools that were shown as approved. Approved tools that are gone stay approved: they may come back unchanged. */
export const approveTools = (waiting: readonly WaitingTools[], stateDir: string): void => {
  const at = isoClock()();
  for (const { key, approved, now } of waiting) approveBaseline(stateDir, key, new Map([...approved, ...now]), at);
};
