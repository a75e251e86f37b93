// What an import comes to once it is known which servers answer: the switchboard files, what leaves the clients' files, and a row for
// each server that says what became of it.
import type { Around, ClientPlace, Members } from '../../clients/client.js';
import { hideSecrets } from '../../clients/hide-secrets.js';
import { type Mention, type MovedServer, mentionsIn } from '../../clients/mentions.js';
import type { Approval } from '../../switchboard/config/approvals.js';
import type { Secrets } from '../../switchboard/config/secrets.js';
import type { Environment } from '../../switchboard/config/variables.js';
import { publicNames } from '../../switchboard/names.js';
import { readText } from '../text-file.js';
import { approvalsFor, type Board, type BoardKind, boardChange, carried, readBoard } from './boards.js';
import type { FileChange } from './changes.js';
import type { PlacedEdit } from './client-files.js';
import type { Found, ImportPlan, Move } from './import.js';
import { type Candidate, serversOn, type Trials } from './trial.js';

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
  /** Servers of the user's own that are written into the project's file as well. */
  readonly shared: readonly string[];
}

type Boards = Readonly<Partial<Record<BoardKind, Board>>>;

const rowOf = ({ client, place, name }: Found): Pick<ImportRow, 'client' | 'scope' | 'file' | 'server'> => ({
  client: client.id,
  scope: place.scope,
  file: place.file,
  server: name,
});

const verdictOn = (candidate: Candidate, trials: Trials): ImportRow => {
  const { move, config } = candidate;
  const basis = { ...rowOf(move.found), as: null, into: null };
  const left = (why: string): ImportRow => ({ ...basis, verdict: 'left', why: [why] });
  if (config.missing.length > 0) return left(`not set: ${config.missing.join(', ')}`);
  const trial = trials.of(candidate);
  const there = { ...basis, as: move.as, into: move.board.file };
  if (trial === undefined) return { ...there, verdict: 'untried', why: ['moves if it answers', ...move.changes] };
  if ('fault' in trial) {
    return left(trial.asksToSignIn ? `it signs in interactively (${trial.fault})` : `does not answer (${trial.fault})`);
  }
  const same = move.isNew ? [] : ['the same server is there already'];
  const why = [...move.changes, ...same];
  return { ...there, verdict: why.length === 0 ? 'moved' : 'changed', why };
};

/** The user's servers for a project that has a file of its own: no other file counts there. */
const copies = (moves: readonly Move[], { user, project }: Boards, around: Around, secrets: Secrets): Members => {
  const own = project === undefined ? {} : serversOn(project, moves);
  if (user === undefined || project === undefined) return {};
  if (project.text === undefined && Object.keys(own).length === 0) return {};
  const older =
    project.text !== undefined ? [] : Object.entries(user.servers).map(([name, it]) => [name, carried(it, user)]);
  const moved = moves
    .filter(({ board }) => board === user)
    .flatMap(({ found, as }) => {
      const done = found.client.translate(found.value, { kind: 'project', around, scope: found.place.scope });
      return 'left' in done ? [] : [[as, hideSecrets(found.name, done.server, secrets).server]];
    });
  const taken = { ...project.servers, ...own };
  return Object.fromEntries([...older, ...moved].filter(([name]) => !Object.hasOwn(taken, name as string)));
};

const isUsed = (name: string, servers: readonly unknown[]): boolean =>
  JSON.stringify(servers).includes(`\${secret:${name}}`);

const movedServers = (
  candidates: readonly Candidate[],
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

const readIfPossible = (file: string, { projectDir }: Around): string => {
  try {
    return readText(file, projectDir) ?? '';
  } catch {
    return '';
  }
};

const rulesFor = (candidates: readonly Candidate[], trials: Trials, around: Around): readonly Mention[] => {
  const servers = movedServers(candidates, trials);
  const clients = new Set(candidates.map(({ move }) => move.found.client));
  return [...clients].flatMap(({ id, rules }) => {
    const own = servers.filter(({ client }) => client === id);
    return rules === undefined
      ? []
      : rules.files(around).flatMap((file) => mentionsIn(readIfPossible(file, around), file, rules, own));
  });
};

export interface Finishing {
  readonly plan: ImportPlan;
  readonly candidates: readonly Candidate[];
  readonly trials: Trials;
  readonly boards: Boards;
  readonly around: Around;
  readonly variables: Environment;
  /** Secrets that are there already. */
  readonly known: Secrets;
}

export const finishImport = (finishing: Finishing): Moved => {
  const { plan, candidates, trials, boards, around, variables, known } = finishing;
  const verdicts = candidates.map((candidate) => ({ candidate, row: verdictOn(candidate, trials) }));
  const going = verdicts.filter(({ row }) => row.verdict !== 'left').map(({ candidate }) => candidate);
  const moves = going.map(({ move }) => move);
  const copied = copies(moves, boards, around, { ...known, ...plan.secrets });
  const changes = [boards.user, boards.project].flatMap((board) => {
    if (board === undefined) return [];
    const added = { ...serversOn(board, moves), ...(board.kind === 'project' ? copied : {}) };
    return [{ board, added }];
  });
  const all = changes.flatMap(({ added }) => Object.values(added));
  return {
    rows: [
      ...verdicts.map(({ row }) => row),
      ...plan.stays.map(
        ({ found, why }): ImportRow => ({ ...rowOf(found), verdict: 'left', as: null, into: null, why: [why] }),
      ),
    ],
    boards: changes.flatMap(({ board, added }) => boardChange(board, added, around) ?? []),
    taken: moves.map(({ found: { client, place, name, value } }) => ({ client, place, name, was: value })),
    approvals: changes.flatMap(({ board, added }) => {
      const names = new Set([
        ...Object.keys(added),
        ...moves.filter((move) => move.board === board).map(({ as }) => as),
      ]);
      return approvalsFor(
        board,
        readBoard(board, added, variables).filter(({ name }) => names.has(name)),
      );
    }),
    secrets: Object.fromEntries(Object.entries(plan.secrets).filter(([name]) => isUsed(name, all))),
    rules: rulesFor(going, trials, around),
    shared: Object.keys(copied),
  };
};
