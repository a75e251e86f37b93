// Watches folders for changes, as far as the system lets us. Nothing depends on it: what it misses shows at the next use.
import { type FSWatcher, watch } from 'node:fs';
import { SKILL_LIMITS } from './limits.js';

export interface SkillWatcher {
  /** Something changed. */
  stale(): void;
  /** It did, and nothing more has happened since. */
  quiet(): void;
}

export class Watch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #watcher: SkillWatcher;
  #timer: NodeJS.Timeout | undefined;

  constructor(watcher: SkillWatcher) {
    this.#watcher = watcher;
  }

  /** From now on exactly these, as many as allowed. */
  set(folders: readonly string[]): void {
    const wanted = new Set(folders.slice(0, SKILL_LIMITS.skillWatches));
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        this.#watcher.stale();
        this.wake(SKILL_LIMITS.skillQuietMs);
      });
      const drop = () => {
        watcher.close();
        this.#watchers.delete(folder);
      };
      watcher.on('error', drop);
      this.#watchers.set(folder, watcher);
    } catch {
      // No such folder any more, or no watches left.
    }
  }

  /** `quiet` after so long, counted anew from every change. */
  wake(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#watcher.quiet(), afterMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.set([]);
  }
}
