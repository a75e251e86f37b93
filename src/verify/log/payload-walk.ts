// Goes through the payload rows (stored arguments and texts) in step with the records of a range, and notes which rows are missing.
import type { JsonObject } from '../../proof/canonical-json.js';
import type { StoreSnapshot } from '../reading.js';
import { addFinding, type Found } from '../verdict/finding-list.js';
import { payloadsIn } from './ledger-repository.js';
import { argsFault, mayKeep, type PayloadRow, payloadFault, wantsPayload } from './payload-check.js';
import { isTorn, NOT_WELL_FORMED } from './record.js';

export class PayloadWalk {
  /** Missing payloads: the first and last record number of each unbroken run. */
  readonly absent: [number, number][] = [];
  readonly #log: string;
  readonly #found: Found;
  /** The rows of the batch that is being checked, in the order of seq; `#next` is the first row not yet matched with a record. */
  #rows: readonly PayloadRow[] = [];
  #next = 0;
  /** Whether the latest record that must have a payload has it; if so, the next missing payload begins a new run. */
  #isWhole = true;

  constructor(log: string, found: Found) {
    this.#log = log;
    this.#found = found;
  }

  /** Reads the rows of the records `from … to` (`to` excluded). */
  read(tx: StoreSnapshot, from: number, to: number): void {
    this.#rows = payloadsIn(tx, this.#log, from, to);
    this.#next = 0;
  }

  /** Checks the payload of the record at `seq`. Records must be given in their order. */
  check(tx: StoreSnapshot, body: JsonObject, seq: number): void {
    if (!mayKeep(body) || body.seq !== seq) return;
    const where = { log: this.#log, seq, table: 'payloads' };
    const fault = argsFault(body);
    if (fault !== undefined) addFinding(this.#found, 'payload', where, fault);
    if (!wantsPayload(body)) return;
    const row = this.#take(seq);
    if (row === undefined) this.#noteAbsence(seq);
    this.#isWhole = row !== undefined;
    const isWrong = row !== undefined && isTorn(row[2], () => tx.engine.payloadBytes(tx, this.#log, seq));
    const wrong = isWrong ? NOT_WELL_FORMED : row && payloadFault(body, row);
    if (wrong !== undefined) addFinding(this.#found, 'payload', where, wrong);
  }

  /** Reports the rows up to the end of the batch that no record took. */
  end(to: number): void {
    this.#take(to);
  }

  /** Takes the payload row of a record. Rows before it belong to no record that keeps arguments, and are findings. */
  #take(seq: number): PayloadRow | undefined {
    for (; this.#next < this.#rows.length; this.#next++) {
      const row = this.#rows[this.#next];
      const at = row?.[0];
      if (at === seq) return this.#rows[this.#next++];
      if (typeof at === 'number' && at > seq) return undefined;
      const where = { log: this.#log, table: 'payloads', id: `${this.#log}/${at}` };
      addFinding(this.#found, 'payload', where, 'There are arguments that no record mentions.');
    }
    return undefined;
  }

  #noteAbsence(seq: number): void {
    const run = this.absent.at(-1);
    if (run === undefined || this.#isWhole) this.absent.push([seq, seq]);
    else run[1] = seq;
  }
}
