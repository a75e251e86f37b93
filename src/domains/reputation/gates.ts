// What follows from the scores of a node: how many tasks it may hold at once, whether it may arbitrate and govern. Pure.
import { rootOf } from './score.js';

/** The scores from which a node may arbitrate and govern, in basis points. */
const NEEDED = { arbitration: 5_000, execution: 3_000, governance: 4_000 } as const;
const MOST_PARALLEL_TASKS = 20;

export interface GateScores {
  readonly execution: number;
  readonly arbitration: number;
  readonly governance: number;
}

/** A node without any score may hold one task: nobody is locked out of a new project. */
export const maxParallelTasks = (execution: number): number =>
  Math.max(1, Math.min(rootOf(execution), MOST_PARALLEL_TASKS));

const enough = (name: keyof GateScores, has: number): string =>
  `${name} ${has} of ${NEEDED[name]}${has >= NEEDED[name] ? '' : ': too low'}`;

export const gatesOf = ({ execution, arbitration, governance }: GateScores) => ({
  max_parallel_tasks: maxParallelTasks(execution),
  rate_limit_bonus: Math.floor(Math.log2(Math.max(execution, 1))),
  stake_discount: Math.floor(10_000_000 / Math.max(execution, 1_000)),
  can_arbitrate: arbitration >= NEEDED.arbitration && execution >= NEEDED.execution,
  can_govern: governance >= NEEDED.governance,
  reasons: {
    max_parallel_tasks: `execution ${execution}: its square root, at least 1, at most ${MOST_PARALLEL_TASKS}`,
    can_arbitrate: `${enough('arbitration', arbitration)}; ${enough('execution', execution)}`,
    can_govern: enough('governance', governance),
  },
});
