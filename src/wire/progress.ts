// Waiting for a condition that only changes when something happens: whoever makes it happen says so.

const nobody = (): void => {};

export class Progress {
  #look = nobody;

  /** Something happened that a waiter may have been waiting for. */
  readonly made = (): void => this.#look();

  /** Waits for `done`, but no longer than `patienceMs`: in all, or since the last progress. One waiter at a time. */
  until(done: () => boolean, patienceMs: number, from: 'start' | 'last progress'): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#look = nobody;
        resolve();
      };
      const timer = setTimeout(stop, patienceMs);
      this.#look = () => {
        if (done()) stop();
        else if (from === 'last progress') timer.refresh();
      };
    });
  }
}
