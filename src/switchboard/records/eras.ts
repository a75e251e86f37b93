// Keeps in the store, for later Colibri processes, which protocol each server speaks (2025-11-25 and older, or 2026-07-28 and newer).
import type { EraMemory, EraVerdict } from '../link/era.js';
import { allEras, replaceEra } from './states-repository.js';
import type { Books, RecordsWriter } from './writer.js';

/** Which protocols servers speak, as this process found out and, once the store is open, as earlier processes found out. */
export class Eras implements EraMemory {
  readonly #verdicts = new Map<string, EraVerdict>();
  readonly #records: RecordsWriter;

  constructor(records: RecordsWriter) {
    this.#records = records;
  }

  get(digest: string): EraVerdict | undefined {
    return this.#verdicts.get(digest);
  }

  set(digest: string, verdict: EraVerdict): void {
    this.#verdicts.set(digest, verdict);
    const row = { era: verdict.era, version: 'version' in verdict ? verdict.version : null, at: verdict.at };
    this.#records.add((tx) => replaceEra(tx, digest, row));
  }

  delete(digest: string): void {
    this.#verdicts.delete(digest);
    this.#records.add((tx) => replaceEra(tx, digest, undefined));
  }

  async load({ store }: Books): Promise<void> {
    for (const { connection, era, version, at } of await store.read(allEras)) {
      if (this.#verdicts.has(connection)) continue;
      if (era === 'legacy') this.#verdicts.set(connection, { era, at });
      else if (era === 'modern' && version !== null) this.#verdicts.set(connection, { era, version, at });
    }
  }
}
