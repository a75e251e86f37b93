// Watches skill folders for changes, as far as the system allows. A change that the watch misses is seen at the next request.
import { type FSWatcher, watch } from 'node:fs';
import { SKILL_LIMITS } from './limits.js';

export class Watch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #stale: () => void;
  readonly #quiet: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `stale` when something in a watched folder changed, and `quiet` when nothing has changed for a while after that. */
  constructor(stale: () => void, quiet: () => void) {
    this.#stale = stale;
    this.#quiet = quiet;
  }

  /** Watches `folders`, and no other folders, from now on; at most `skillWatches` of them. */
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
        this.#stale();
        this.wake(SKILL_LIMITS.skillQuietMs);
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder is gone, or the system has no watches left: the folder is not watched.
    }
  }

  /** Calls `quiet` once, `afterMs` milliseconds from now. A change in a watched folder starts the time again. */
  wake(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#quiet(), afterMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.set([]);
  }
}
