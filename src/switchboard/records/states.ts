// Writes the live health states of this process's servers to the store, so that other Colibri processes can show them. It writes soon after
// a change of state, and every few seconds if anything else has changed.

import type { Clock } from '../../core/clock.js';
import { redactText } from '../../redact/redact.js';
import type { BoardRow } from '../board.js';
import { forPeople } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import {
  FILE_ROW,
  forgetStates,
  instancesWithStates,
  ROUTES_ROW,
  replaceStates,
  type StateRow,
} from './states-repository.js';
import type { Books } from './writer.js';

export interface ShownState {
  /** The path of the switchboard file; empty if there is none. */
  readonly file: string;
  readonly isThere: boolean;
  readonly rows: readonly BoardRow[];
  notesOf(server: string): readonly string[];
  readonly problems: readonly string[];
  /** Notes about routes, such as which routes are off and why; one line each. */
  readonly routes: readonly string[];
}

const cut = (text: string): string =>
  redactText(text).toWellFormed().replaceAll('\u0000', '\ufffd').slice(0, SWITCHBOARD_LIMITS.stateTextChars);

const fileState = ({ isThere, problems }: ShownState): string => {
  if (!isThere) return 'ABSENT';
  return problems.length === 0 ? 'APPLIED' : 'BROKEN';
};

type UndatedRow = Omit<StateRow, 'at'>;

/** The columns of those rows that are not about a server, but about the switchboard file or its routes. */
const NO_SERVER = { place: -1, next_at: null, calls: 0, failures: 0, noise: 0, p50_ms: null, p99_ms: null } as const;

const fileRow = (shown: ShownState, since: string): UndatedRow => {
  const { problems, file } = shown;
  const reason = problems[0] === undefined ? null : cut(problems[0]);
  const notes = cut([file, ...problems].join('\n'));
  return { ...NO_SERVER, server: FILE_ROW, state: fileState(shown), since, reason, notes };
};

const routesRow = ({ routes }: ShownState, since: string): UndatedRow => {
  return { ...NO_SERVER, server: ROUTES_ROW, state: 'ROUTES', since, reason: null, notes: cut(routes.join('\n')) };
};

const stateRow = (row: BoardRow, place: number, shown: ShownState): UndatedRow => ({
  server: cut(row.server),
  place,
  state: row.state ?? 'REMOVED',
  since: row.since ?? '',
  reason: row.reason === null ? null : cut(`${row.reason.code}: ${forPeople(row.reason)}`),
  next_at: row.next_at,
  calls: row.calls,
  failures: row.failures,
  noise: row.noise,
  notes: cut([...row.notes, ...shown.notesOf(row.server)].join('\n')),
  p50_ms: row.p50_ms,
  p99_ms: row.p99_ms,
});

export class StatesWriter {
  readonly #look: () => ShownState;
  readonly #now: Clock;
  readonly #since: string;
  #books: Books | undefined;
  #written = '';
  #writing: Promise<void> | undefined;
  #soon: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => ShownState, now: Clock) {
    this.#look = look;
    this.#now = now;
    this.#since = now();
  }

  /** Starts to write health states to the store. Also deletes the rows of Colibri processes that died. */
  async open(books: Books): Promise<void> {
    this.#books = books;
    clearInterval(this.#timer); // of an earlier instance of this process
    this.#timer = setInterval(() => this.soon(), SWITCHBOARD_LIMITS.statesMs).unref();
    this.soon();
    const { store } = books;
    const others = await store.read(instancesWithStates);
    for (const instance of others) {
      if (instance === books.ledger.instance || (await store.instances.isAlive(instance))) continue;
      await store.write((tx) => forgetStates(tx, instance), { group: true, log: books.ledger.log.id });
    }
  }

  soon(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
    });
  }

  async #write(): Promise<void> {
    const books = this.#books;
    if (books === undefined || books.ledger.halted !== undefined) return;
    const shown = this.#look();
    const routes = shown.routes.length === 0 ? [] : [routesRow(shown, this.#since)];
    const rows = [
      fileRow(shown, this.#since),
      ...routes,
      ...shown.rows.map((row, place) => stateRow(row, place, shown)),
    ];
    const text = JSON.stringify(rows);
    if (text === this.#written) return;
    const at = this.#now();
    const dated = rows.map((row) => ({ ...row, at }));
    try {
      const { instance, log } = books.ledger;
      await books.store.write((tx) => replaceStates(tx, instance, dated), { group: true, log: log.id });
      this.#written = text;
    } catch {
      // A failed write is ignored, because the next write has newer states.
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearImmediate(this.#soon);
    const books = this.#books;
    this.#books = undefined;
    await this.#writing;
    if (books === undefined || books.ledger.halted !== undefined) return;
    const { instance, log } = books.ledger;
    await books.store.write((tx) => forgetStates(tx, instance), { log: log.id }).catch(() => {});
  }
}
