// Decides whether a call that needs a yes has one, asks for one, and uses it up. An approval is good for one call of exactly what was asked for:
// its row is found by a MAC of server, tool, arguments as they will be sent, definition and project. It is used in the transaction that makes the
// call's intent durable, before a byte is sent: after a crash it is used, whether the call was sent or not.
import type { Refused } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { OnwardRequest } from '../../call/request.js';
import { LazyCancellation } from '../../core/cancellation.js';
import type { Clock } from '../../core/clock.js';
import { asError, quietly } from '../../errors.js';
import { newSalt, saltedDigest } from '../../ledger/hashes.js';
import type { Appended } from '../../ledger/ledger.js';
import { canonicalJson, type JsonObject } from '../../proof/canonical-json.js';
import { asName, redact, redactText } from '../../redact/redact.js';
import type { Tx } from '../../store/store.js';
import type { AskValues, QuorumValues } from '../config/keys.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import {
  type ApprovalBooks,
  type ApprovalRow,
  approvalById,
  changeApproval,
  expireDue,
  expireOver,
  insertApproval,
  isAsRecorded,
  isOver,
  liveApprovals,
} from '../records/approval-repository.js';
import type { Books } from '../records/writer.js';
import {
  approvalDenied,
  approvalRequired,
  approvalUnavailable,
  type ToolPlace,
  votersMissing,
  votesRequired,
} from '../refusal.js';
import { answerIn, approvalQuestion, canElicit } from './question.js';
import { groundsFor, openRound, type QuorumStanding, settleApproval, unenrolledOf } from './quorum.js';

export interface ApproverDeps {
  /** The store and the ledger; undefined while they are not open. */
  readonly books: () => Books | undefined;
  readonly now: Clock;
  readonly wallMs: () => number;
  /** Whether the arguments of calls are kept; otherwise no round shows them. */
  readonly keepsArguments: boolean;
  /** The id of the project, or its path; empty outside of a project. */
  readonly project: string;
  /** The processes that are this process's client. */
  readonly asker: () => Promise<readonly string[]>;
  /** The connection to the client, for questions that outlive the call. */
  readonly client: () => Peer | undefined;
  readonly warn: (text: string) => void;
}

/** A call that needs a yes. */
export interface ApprovalCase {
  readonly place: ToolPlace;
  /** The arguments as they will be sent. */
  readonly args: unknown;
  readonly request: OnwardRequest;
  readonly ask: AskValues;
  /** The digest of the tool's definition now. */
  readonly definition: () => string;
  /** Whether the client was shown that it must ask a person before it calls this tool. */
  readonly isFlagged: boolean;
  /** The client's answer to the question, if it comes with this call; `approvalId` is that of the question. */
  readonly answered?: { readonly approvalId: string; readonly response: unknown } | undefined;
}

export interface CallPermit {
  /** The approval that the call uses. Known once it is used, where the client asks by itself. */
  approvalId: string | undefined;
  /** Who gave it, unless it is the word of the client that asks. */
  readonly allowedBy: readonly string[];
  isUsed: boolean;
  /** To be called when the call has its turn, before it is sent: uses the approval. Returns why the call must not be sent. */
  use(): Promise<Refused | undefined>;
}

export type ApprovalJudgement =
  | { readonly permit: CallPermit }
  | { readonly refused: Refused }
  /** The question for a client of protocol 2026-07-28, which calls again with the answer. */
  | { readonly question: JsonObject; readonly approvalId: string };

const refusedBy = (code: string, refusal: Refused['refusal']): Refused => ({
  kind: 'refused',
  code,
  sent: false,
  refusal,
});

/** What came of waiting for a person. */
type Waited = 'answered' | 'late' | 'cancelled';

export class Approver {
  readonly #deps: ApproverDeps;
  /** Questions that clients have not answered yet, by approval: a second call of the same joins the wait. */
  readonly #open = new Map<string, Promise<void>>();

  constructor(deps: ApproverDeps) {
    this.#deps = deps;
  }

  async judge(asked: ApprovalCase): Promise<ApprovalJudgement> {
    try {
      return await this.#judge(asked);
    } catch (thrown) {
      this.#deps.warn(`an approval could not be asked for: ${asError(thrown).message}`);
      return { refused: this.#noStore(asked) };
    }
  }

  #noStore({ place }: ApprovalCase): Refused {
    return refusedBy('STORE_UNAVAILABLE', approvalUnavailable(place));
  }

  async #judge(asked: ApprovalCase): Promise<ApprovalJudgement> {
    const books = this.#deps.books();
    if (books === undefined) return { refused: this.#noStore(asked) };
    const { answered } = asked;
    if (answered !== undefined) await this.#take(answered.approvalId, answerIn(answered.response), asked);
    const exact = this.#exactOf(asked, books);
    const { quorum } = asked.ask;
    if (quorum !== null) return this.#byQuorum(asked, quorum, exact);
    const way = this.#wayFor(asked);
    // Where the client asks by itself, its call is its yes, unless somebody has said no to it here.
    const live = await this.#liveOrAsked(asked, exact, way === 'elicitation' || way === 'command');
    if (live?.state === 'granted') return { permit: this.#permit(asked, live) };
    if (live?.state === 'denied') return { refused: this.#denied(asked, live) };
    if (way === 'client') return { permit: this.#clientPermit(asked, exact) };
    if (live === undefined || way === undefined) return { refused: this.#required(asked, live) };
    const isClosed = answered?.approvalId === live.approval_id;
    if (way === 'command' || isClosed) return { refused: this.#required(asked, live) };
    return this.#elicit(asked, live);
  }

  /** How a person is asked: the first way that this client makes possible. */
  #wayFor({ ask, request, isFlagged }: ApprovalCase): AskValues['via'][number] | undefined {
    const { peer } = request;
    return ask.via.find((way) => {
      if (way === 'client') return isFlagged && ask.clients.includes(request.client?.name ?? '');
      return way === 'command' || (peer !== undefined && canElicit(peer));
    });
  }

  #exactOf({ place, args, definition }: ApprovalCase, { ledger }: Books): string {
    const { project } = this.#deps;
    const what = { server: place.server, tool: place.tool, arguments: args, definition: definition(), project };
    // What has no canonical form is compared as plain JSON; that is never a text of canonical JSON, so the two are never equal.
    return ledger.log.approvalMac(quietly(() => canonicalJson(what)) ?? `plain ${JSON.stringify(what)}`);
  }

  /** Writes with the lock of this process's log, so that other machines do not wait. */
  #writing<T>({ store, ledger }: Books, act: (tx: Tx) => Promise<T>): Promise<T> {
    return store.write(act, { log: ledger.log.id });
  }

  /** The approval of exactly this that is not over; if there is none, asks for one. */
  async #liveOrAsked(asked: ApprovalCase, exact: string, mayAsk: boolean): Promise<ApprovalRow | undefined> {
    const books = this.#books();
    const asker = JSON.stringify(await this.#deps.asker());
    // `exact` is made with the key of the log, so whoever asks for the same waits for the lock of this log.
    return this.#writing(books, async (tx) => {
      const to = { log: books.ledger.log, at: this.#deps.now() };
      const rows = await expireOver(tx, await liveApprovals(tx, exact), to);
      // What voters were asked counts only where they are asked; their no counts everywhere.
      const own = rows.filter(({ round, state }) => round === null || state === 'denied');
      const best =
        own.find(({ state }) => state === 'denied') ?? own.find(({ state }) => state === 'granted') ?? own[0];
      if (best !== undefined || !mayAsk) return best;
      this.#expireIn(asked.ask.minutes * 60_000);
      return insertApproval(tx, this.#newRow(asked, exact, asker), to);
    });
  }

  /** Records after this time what ran out, so that arguments that nobody will look at do not stay. */
  #expireIn(ms: number): void {
    setTimeout(() => this.expire().catch(() => {}), ms + SWITCHBOARD_LIMITS.expiryLateMs).unref();
  }

  /** Records which approvals ran out. */
  async expire(): Promise<void> {
    const books = this.#deps.books();
    if (books === undefined) return;
    await this.#writing(books, (tx) => expireDue(tx, { log: books.ledger.log, at: this.#deps.now() }));
  }

  /** Looks for an approval of exactly this that the voters of the quorum have given; if none is under way, asks them. */
  async #byQuorum(asked: ApprovalCase, quorum: QuorumValues, exact: string): Promise<ApprovalJudgement> {
    const books = this.#books();
    const asker = JSON.stringify(await this.#deps.asker());
    const { place, args, request } = asked;
    const requester = request.client?.name ?? null;
    const found = await books.store.write(async (tx): Promise<QuorumStanding | readonly string[]> => {
      const to = { log: books.ledger.log, at: this.#deps.now() };
      const rows = await expireOver(tx, await liveApprovals(tx, exact), to);
      const denied = rows.find(({ state }) => state === 'denied');
      if (denied !== undefined) return { row: denied, grounds: { state: 'rejected' } };
      for (const row of rows) {
        if (!(await isAsRecorded(tx, row))) continue;
        const grounds = await groundsFor(tx, row, quorum, to);
        if (grounds !== undefined) return settleApproval(tx, { row, grounds }, to);
      }
      const missing = await unenrolledOf(tx, quorum.of);
      if (missing.length > 0) return missing;
      this.#expireIn(asked.ask.minutes * 60_000);
      const quorumCase = { place, args, quorum, requester, showsArguments: this.#deps.keepsArguments };
      return {
        row: await openRound(tx, quorumCase, this.#newRow(asked, exact, asker), to),
        grounds: { state: 'open' },
      };
    });
    if (!('row' in found)) return { refused: refusedBy('CONFIG_INVALID', votersMissing(place, found)) };
    const { row, grounds } = found;
    if (row.state === 'denied') return { refused: this.#denied(asked, row) };
    if (row.state === 'granted' && grounds.state === 'approved')
      return { permit: this.#permit(asked, row, grounds.approvers) };
    const { of: voters, need } = quorum;
    const state = grounds.state === 'open' || grounds.state === 'unsigned' ? grounds.state : 'broken';
    const round = { approvalId: row.approval_id, expiresAt: row.expires_at, roundId: row.round ?? '' };
    return { refused: refusedBy('APPROVAL_REQUIRED', votesRequired(place, { ...round, voters, need, state })) };
  }

  #newRow({ place, args, definition, ask, request }: ApprovalCase, exact: string, asker: string) {
    const text = quietly(() => canonicalJson(redact(args ?? {}))) ?? '{}';
    const salt = newSalt();
    const expires_at = new Date(this.#deps.wallMs() + ask.minutes * 60_000).toISOString();
    return {
      ...{
        exact,
        server: place.server,
        tool: place.tool,
        definition: definition(),
        call_id: request.id,
        asker,
        expires_at,
      },
      ...{ args_digest: saltedDigest(salt, text), args: text, args_salt: salt.toString('hex') },
      instance: this.#books().ledger.instance,
      round: null,
    };
  }

  #books(): Books {
    const books = this.#deps.books();
    if (books === undefined) throw new Error('the store is not open');
    return books;
  }

  #denied({ place }: ApprovalCase, { approval_id, reason, expires_at }: ApprovalRow): Refused {
    return refusedBy(
      'APPROVAL_DENIED',
      approvalDenied(place, { approvalId: approval_id, reason, expiresAt: expires_at }),
    );
  }

  #required({ place, ask }: ApprovalCase, row: ApprovalRow | undefined): Refused {
    const hasCommand = ask.via.includes('command');
    const known = row === undefined ? undefined : { approvalId: row.approval_id, expiresAt: row.expires_at };
    return refusedBy('APPROVAL_REQUIRED', approvalRequired(place, known, hasCommand));
  }

  /** Records the client's answer to a question. `none` leaves it asked. */
  async #take(
    id: string,
    given: ReturnType<typeof answerIn>,
    { request }: Pick<ApprovalCase, 'request'>,
  ): Promise<void> {
    if (given.answer === 'none') return;
    const books = this.#books();
    const answered_by = asName(request.client?.name ?? '');
    const reason = given.answer === 'no' && given.reason !== null ? asName(redactText(given.reason)) : null;
    const state = given.answer === 'yes' ? ('granted' as const) : ('denied' as const);
    await this.#writing(books, async (tx) => {
      const to = { log: books.ledger.log, at: this.#deps.now() };
      const row = await approvalById(tx, id);
      if (row === undefined || row.state !== 'asked' || isOver(row, to.at)) return;
      await changeApproval(tx, row, { state, via: 'elicitation', answered_by, claimed: 1, reason }, to);
    });
  }

  async #elicit(asked: ApprovalCase, row: ApprovalRow): Promise<ApprovalJudgement> {
    const { request, place, args } = asked;
    const params = approvalQuestion(place, args);
    if (request.peer?.era === 'modern') return { question: params, approvalId: row.approval_id };
    const waited = await this.#wait(this.#question(asked, row, params), request);
    if (waited === 'cancelled') return { refused: refusedBy('cancelled', approvalUnavailable(place)) };
    const now = await this.#books().store.read((tx) => approvalById(tx, row.approval_id));
    if (now?.state === 'granted') return { permit: this.#permit(asked, now) };
    return { refused: now?.state === 'denied' ? this.#denied(asked, now) : this.#required(asked, row) };
  }

  /** Puts the question to the client, once for each approval; its answer counts until the approval runs out, however late it comes. */
  #question(asked: ApprovalCase, row: ApprovalRow, params: JsonObject): Promise<void> {
    const open = this.#open.get(row.approval_id);
    if (open !== undefined) return open;
    const peer = this.#deps.client() ?? asked.request.peer;
    const over = new LazyCancellation();
    const leftMs = Math.max(0, Date.parse(row.expires_at) - this.#deps.wallMs());
    const timer = setTimeout(() => over.abort(), leftMs).unref();
    const unlisten = asked.request.cancellation?.listen(() => over.abort());
    const answer = (peer?.ask('elicitation/create', params, over.signal) ?? Promise.reject(new Error('no client')))
      .then((response) => this.#take(row.approval_id, answerIn(response), asked))
      .catch((thrown: unknown) =>
        this.#deps.warn(`a question for approval was not answered: ${asError(thrown).message}`),
      )
      .finally(() => {
        clearTimeout(timer);
        unlisten?.();
        this.#open.delete(row.approval_id);
      });
    this.#open.set(row.approval_id, answer);
    return answer;
  }

  /** Waits for the answer for a while, telling the client that the call goes on. */
  #wait(answer: Promise<void>, { onProgress, cancellation }: OnwardRequest): Promise<Waited> {
    return new Promise((resolve) => {
      let progress = 0;
      const say = (): void => onProgress?.({ progress: ++progress, message: 'Waiting for a person to allow the call' });
      say();
      const ticking = setInterval(say, SWITCHBOARD_LIMITS.askedProgressMs).unref();
      const end = (how: Waited) => (): void => {
        clearInterval(ticking);
        clearTimeout(late);
        unlisten?.();
        resolve(how);
      };
      const late = setTimeout(() => end('late')(), SWITCHBOARD_LIMITS.askedWaitMs);
      const unlisten = cancellation?.listen(end('cancelled'));
      answer.then(end('answered'));
    });
  }

  /** `voters`: those who gave the approval together. */
  #permit(asked: ApprovalCase, row: ApprovalRow, voters?: readonly string[]): CallPermit {
    const { approval_id, claimed, answered_by } = row;
    const person = claimed === 1 || answered_by === null ? [] : [answered_by];
    const exact = this.#exactOf(asked, this.#books());
    const permit: CallPermit = {
      approvalId: approval_id,
      allowedBy: voters ?? person,
      isUsed: false,
      use: async () => {
        if (permit.isUsed) return undefined; // a further request of the same call
        const refusal = await this.#use(asked, exact, approval_id);
        permit.isUsed = refusal === undefined;
        return refusal;
      },
    };
    return permit;
  }

  /** The permit of a call whose client asks a person by itself: asked for, granted and used in one transaction. */
  #clientPermit(asked: ApprovalCase, exact: string): CallPermit {
    const permit: CallPermit = {
      approvalId: undefined,
      allowedBy: [],
      isUsed: false,
      use: async () => {
        if (permit.isUsed) return undefined;
        const asker = JSON.stringify(await this.#deps.asker());
        let id: string | undefined;
        const refused = await this.#committed(asked, exact, async (tx, to) => {
          const { name, version } = asked.request.client ?? { name: '', version: '' };
          const row = await insertApproval(tx, this.#newRow(asked, exact, asker), to);
          const answered_by = asName(`${name} ${version}`);
          const granted = await changeApproval(
            tx,
            row,
            { state: 'granted', via: 'client', answered_by, claimed: 1 },
            to,
          );
          const used =
            granted && (await changeApproval(tx, granted.row, { state: 'used', used_by: asked.request.id }, to));
          id = used?.row.approval_id;
          return used?.appended;
        });
        permit.approvalId = id;
        permit.isUsed = refused === undefined;
        return refused;
      },
    };
    return permit;
  }

  async #use(asked: ApprovalCase, exact: string, id: string): Promise<Refused | undefined> {
    return this.#committed(asked, exact, async (tx, to) => {
      const row = await approvalById(tx, id);
      if (row === undefined || row.state !== 'granted' || row.exact !== exact || isOver(row, to.at)) return undefined;
      if (!(await isAsRecorded(tx, row))) return undefined;
      return (await changeApproval(tx, row, { state: 'used', used_by: asked.request.id }, to))?.appended;
    });
  }

  /** Commits the use of an approval together with the call's intent. Returns why the call must not be sent. */
  async #committed(asked: ApprovalCase, exact: string, act: UseApproval): Promise<Refused | undefined> {
    const { pair } = asked.request;
    const books = this.#deps.books();
    if (books === undefined || pair === undefined) return this.#noStore(asked);
    try {
      // The tool may have changed while the call waited for its turn.
      if (this.#exactOf(asked, books) !== exact) return this.#required(asked, undefined);
      const to = { log: books.ledger.log, at: this.#deps.now() };
      const isUsed = await books.ledger.enterWith(pair, (tx) => act(tx, to));
      return isUsed ? undefined : this.#required(asked, undefined);
    } catch (thrown) {
      this.#deps.warn(`an approval could not be used: ${asError(thrown).message}`);
      return this.#noStore(asked);
    }
  }
}

type UseApproval = (tx: Tx, to: ApprovalBooks) => Promise<readonly Appended[] | undefined>;
