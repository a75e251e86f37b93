// Watches skill folders for changes, as far as the system allows. A change that the watch misses is seen at the next request.
import { type FSWatcher, watch } from 'node:fs';
import { SKILL_LIMITS } from './limits.js';

export interface SkillWatcher {
  /** Called when something in a watched folder changed. */
  stale(): void;
  /** Called when nothing has changed in the watched folders for a while after a change. */
  quiet(): void;
}

export class Watch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #watcher: SkillWatcher;
  #timer: NodeJS.Timeout | undefined;

  constructor(watcher: SkillWatcher) {
    this.#watcher = watcher;
  }

  /** Watches these folders and no others from now on; at most `skillWatches`. */
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
      // The folder is gone, or the system has no watches left: the folder is not watched.
    }
  }

  /** Calls `quiet` once, `afterMs` milliseconds from now. A change in a watched folder starts the time again. */
  wake(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#watcher.quiet(), afterMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.set([]);
  }
}
