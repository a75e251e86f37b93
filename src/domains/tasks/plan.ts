// Reads the plan that a call of task_create sends: several tasks that may depend on each other by their `ref`. Pure.
import { nearest } from '../../core/nearest.js';

/** What this file needs of a task in a plan. */
export interface PlannedTask {
  readonly ref?: string | undefined;
  readonly depends_on?: readonly string[] | undefined;
}

const isRef = (id: string): boolean => id.startsWith('#');

/** The name of a ref without its `#`, which a caller may also write in `ref` itself. */
export const bareRef = (ref: string): string => (isRef(ref) ? ref.slice(1) : ref);

/** The dependencies of one task of a plan: ids of tasks that exist, and places of tasks in the plan. */
export interface PlannedDependencies {
  readonly ids: readonly string[];
  readonly places: readonly number[];
}

export type PlanProblem =
  /** `instead`: the plan with the refused refs left out, or with the ref that was probably meant. */
  | { readonly kind: 'unknown refs'; readonly refs: readonly string[]; readonly known: readonly string[] }
  | { readonly kind: 'cycle'; readonly path: readonly string[] };

const placesByRef = (tasks: readonly PlannedTask[]): ReadonlyMap<string, number> =>
  new Map(tasks.flatMap(({ ref }, i) => (ref === undefined ? [] : [[bareRef(ref), i] as const])));

/** The places of the tasks along a cycle, the first one again at the end; undefined if there is no cycle. */
const findCycle = (edges: readonly (readonly number[])[]): readonly number[] | undefined => {
  const state: ('open' | 'closed' | undefined)[] = [];
  const path: number[] = [];
  const visit = (at: number): readonly number[] | undefined => {
    if (state[at] === 'open') return [...path.slice(path.indexOf(at)), at];
    if (state[at] === 'closed') return undefined;
    state[at] = 'open';
    path.push(at);
    for (const on of edges[at] ?? []) {
      const cycle = visit(on);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    state[at] = 'closed';
    return undefined;
  };
  for (const at of edges.keys()) {
    const cycle = visit(at);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
};

/** What each task of a plan depends on, or the first problem. */
export const readPlan = (
  tasks: readonly PlannedTask[],
): { readonly dependencies: readonly PlannedDependencies[] } | { readonly problem: PlanProblem } => {
  const places = placesByRef(tasks);
  const refs = tasks.flatMap(({ depends_on = [] }) => depends_on.filter(isRef));
  const unknown = [...new Set(refs.filter((ref) => !places.has(bareRef(ref))))];
  if (unknown.length > 0) return { problem: { kind: 'unknown refs', refs: unknown, known: [...places.keys()] } };
  const dependencies = tasks.map(({ depends_on = [] }) => ({
    ids: depends_on.filter((id) => !isRef(id)),
    places: [...new Set(depends_on.filter(isRef).map((ref) => places.get(bareRef(ref)) ?? 0))],
  }));
  const cycle = findCycle(dependencies.map((one) => one.places));
  if (cycle === undefined) return { dependencies };
  return { problem: { kind: 'cycle', path: cycle.map((at) => `#${bareRef(tasks[at]?.ref ?? '')}`) } };
};

/** A plan with one change in the dependencies of each task: `change` returns an id, another one instead, or undefined to leave it out. */
const rewired = <T extends PlannedTask>(
  tasks: readonly T[],
  change: (id: string, task: T) => string | undefined,
): readonly T[] =>
  tasks.map((task) => {
    const { depends_on, ...rest } = task;
    const kept = [...new Set((depends_on ?? []).map((id) => change(id, task)).filter((id) => id !== undefined))];
    return (kept.length === 0 ? rest : { ...rest, depends_on: kept }) as T;
  });

/** The plan without the ids that were refused. */
export const withoutIds = <T extends PlannedTask>(
  tasks: readonly T[],
  isRefused: (id: string) => boolean,
): readonly T[] => rewired(tasks, (id) => (isRefused(id) ? undefined : id));

/** The plan with one problem corrected: an unknown ref becomes the one that was probably meant, or is left out; a cycle is opened. */
export const correctedPlan = <T extends PlannedTask>(tasks: readonly T[], problem: PlanProblem): readonly T[] => {
  if (problem.kind === 'cycle') {
    const [from, to] = problem.path.slice(-2);
    return rewired(tasks, (id, { ref = '' }) => (`#${bareRef(ref)}` === from && id === to ? undefined : id));
  }
  const meant = (ref: string): string | undefined => {
    const near = nearest(bareRef(ref), problem.known);
    return near === undefined ? undefined : `#${near}`;
  };
  return rewired(tasks, (id) => (problem.refs.includes(id) ? meant(id) : id));
};
