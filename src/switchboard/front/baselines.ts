// The approved tools of the servers of one process, read when they are first asked for, and again after a person has approved some.
import type { Clock } from '../../core/clock.js';
import { type ApprovedTools, beginBaseline, readBaseline } from '../config/baselines.js';
import type { ToolBaselines } from '../server/world.js';

export interface BaselinesOptions {
  readonly stateDir: string;
  readonly project: string;
  readonly now: Clock;
  readonly warn: (message: string) => void;
}

export class Baselines implements ToolBaselines {
  readonly #options: BaselinesOptions;
  readonly #known = new Map<string, ApprovedTools | undefined>();
  /** What was seen first of servers for which it could not be written down: it counts until this process ends. */
  readonly #unwritten = new Map<string, ApprovedTools>();

  constructor(options: BaselinesOptions) {
    this.#options = options;
  }

  of(server: string): ApprovedTools | undefined {
    const { stateDir, project } = this.#options;
    if (!this.#known.has(server)) this.#known.set(server, readBaseline(stateDir, { project, server }));
    return this.#known.get(server) ?? this.#unwritten.get(server);
  }

  begin(server: string, tools: ApprovedTools): void {
    const { stateDir, project, now, warn } = this.#options;
    try {
      beginBaseline(stateDir, { project, server }, tools, now());
      this.#known.delete(server); // another process may have been first
    } catch (thrown) {
      warn(
        `${server}: the first list of its tools could not be written down, and counts until this process ends: ${String(thrown)}`,
      );
      this.#unwritten.set(server, tools);
    }
  }

  /** Makes the approved tools be read again. */
  forget(): void {
    this.#known.clear();
  }
}
