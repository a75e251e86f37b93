// The result of an import after the trial of the servers: changes of the switchboard files, removals from the clients' files, and a row
// for each server that says whether it moves and why.
import type { Around, ClientPlace } from '../../clients/client.js';
import { type Mention, type MovedServer, mentionsIn } from '../../clients/mentions.js';
import type { Approval } from '../../switchboard/config/approvals.js';
import { connectionDigest } from '../../switchboard/config/connection.js';
import type { Secrets } from '../../switchboard/config/secrets.js';
import { type TriedTools, triedFileName } from '../../switchboard/config/tried-tools.js';
import type { Environment } from '../../switchboard/config/variables.js';
import { publicNames } from '../../switchboard/names.js';
import { approvalsFor, boardChange, type ClientBoards, readClientBoard } from './boards.js';
import type { FileChange } from './changes.js';
import type { FoundServer, PlacedEdit } from './client-files.js';
import type { ImportPlan } from './import.js';
import { serversOn, type TrialCandidate, type Trials } from './trial.js';
import { readIfPossible } from './undo.js';

export interface ImportRow {
  readonly client: string;
  readonly scope: ClientPlace['scope'];
  readonly file: string;
  readonly server: string;
  readonly verdict: 'moved' | 'changed' | 'left' | 'untried';
  readonly as: string | null;
  readonly into: string | null;
  readonly why: readonly string[];
}

export interface Moved {
  readonly rows: readonly ImportRow[];
  readonly boards: readonly FileChange[];
  readonly taken: readonly PlacedEdit[];
  readonly approvals: readonly Omit<Approval, 'at'>[];
  readonly secrets: Secrets;
  readonly rules: readonly Mention[];
  readonly tried: readonly TriedTools[];
}

type Verdict = Pick<ImportRow, 'verdict' | 'why'> & Partial<Pick<ImportRow, 'as' | 'into'>>;

const rowOf = ({ client, place, name }: FoundServer, verdict: Verdict): ImportRow => {
  return { client: client.id, scope: place.scope, file: place.file, server: name, as: null, into: null, ...verdict };
};

const verdictOn = (candidate: TrialCandidate, trials: Trials): Verdict => {
  const { move, config } = candidate;
  if (config.missing.length > 0) return { verdict: 'left', why: [`not set: ${config.missing.join(', ')}`] };
  const trial = trials.of(candidate);
  if (trial !== undefined && 'fault' in trial) {
    const why = trial.asksToSignIn ? 'it signs in interactively' : 'does not answer';
    return { verdict: 'left', why: [`${why} (${trial.fault})`] };
  }
  const there = { as: move.as, into: move.board.file };
  if (trial === undefined) return { ...there, verdict: 'untried', why: ['moves if it answers', ...move.changes] };
  const why = [...move.changes, ...(move.isNew ? [] : ['the same server is there already'])];
  return { ...there, verdict: why.length === 0 ? 'moved' : 'changed', why };
};

const isUsed = (name: string, servers: readonly unknown[]): boolean =>
  JSON.stringify(servers).includes(`\${secret:${name}}`);

const movedServers = (
  candidates: readonly TrialCandidate[],
  trials: Trials,
): readonly (MovedServer & { client: string })[] =>
  candidates.map((candidate) => {
    const { move, config } = candidate;
    const trial = trials.of(candidate);
    const tools = trial !== undefined && 'tools' in trial ? trial.tools.map(({ name }) => name) : [];
    const { list } = publicNames([{ name: move.as, prefix: config.prefix, tools }], []);
    return {
      client: move.found.client.id,
      name: move.found.name,
      as: move.as,
      tools: new Map(list.map(({ tool, name }) => [tool, name])),
    };
  });

const rulesFor = (candidates: readonly TrialCandidate[], trials: Trials, around: Around): readonly Mention[] => {
  const servers = movedServers(candidates, trials);
  const clients = new Set(candidates.map(({ move }) => move.found.client));
  return [...clients].flatMap(({ id, rules }) => {
    const own = servers.filter(({ client }) => client === id);
    return rules === undefined
      ? []
      : rules.files(around).flatMap((file) => mentionsIn(readIfPossible(file, around.projectDir), file, rules, own));
  });
};

/** The tool lists of the servers that move, as they were read during the trial. */
const triedBy = (candidates: readonly TrialCandidate[], trials: Trials): readonly TriedTools[] => {
  const lists = candidates.flatMap((candidate): readonly (readonly [string, TriedTools])[] => {
    const { config } = candidate;
    const trial = trials.of(candidate);
    if (trial === undefined || 'fault' in trial) return [];
    const list = { server: config.name, connection: connectionDigest(config), tools: trial.tools };
    return [[triedFileName(list), list]];
  });
  return [...new Map(lists).values()];
};

export interface Finishing {
  readonly plan: ImportPlan;
  readonly candidates: readonly TrialCandidate[];
  readonly trials: Trials;
  readonly boards: ClientBoards;
  readonly around: Around;
  readonly variables: Environment;
}

export const finishImport = (finishing: Finishing): Moved => {
  const { plan, candidates, trials, boards, around, variables } = finishing;
  const verdicts = candidates.map((candidate) => {
    return { candidate, row: rowOf(candidate.move.found, verdictOn(candidate, trials)) };
  });
  const going = verdicts.filter(({ row }) => row.verdict !== 'left').map(({ candidate }) => candidate);
  const moves = going.map(({ move }) => move);
  const changes = [boards.user, boards.project].flatMap((board) => {
    return board === undefined ? [] : [{ board, added: serversOn(board, moves) }];
  });
  const all = changes.flatMap(({ added }) => Object.values(added));
  return {
    rows: [
      ...verdicts.map(({ row }) => row),
      ...plan.stays.map(({ found, why }) => rowOf(found, { verdict: 'left', why: [why] })),
    ],
    boards: changes.flatMap(({ board, added }) => boardChange(board, added, around) ?? []),
    taken: moves.map(({ found }) => found),
    approvals: changes.flatMap(({ board, added }) => {
      const here = moves.filter((move) => move.board === board);
      const given = Object.fromEntries(here.map(({ as, server }) => [as, server]));
      return approvalsFor(board, readClientBoard(board, added, variables), given);
    }),
    secrets: Object.fromEntries(Object.entries(plan.secrets).filter(([name]) => isUsed(name, all))),
    rules: rulesFor(going, trials, around),
    tried: triedBy(going, trials),
  };
};
