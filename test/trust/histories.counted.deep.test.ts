// Random histories of asks, answers, times, definitions, deaths and calls of two processes against a model that shares no code with what it checks:
// no call without its approval, no approval used twice, and at the end every approval in the store is in the state that the model has.
import { expect, test } from 'vitest';
import type { Peer } from '../../src/call/peer.js';
import type { Pair } from '../../src/ledger/calls/pair.js';
import { type ApprovalCase, type ApprovalJudgement, Approver } from '../../src/switchboard/approval/approver.js';
import { approvalById, changeApproval, expireOver } from '../../src/switchboard/records/approval-repository.js';
import { verifyStore } from '../../src/verify/verify.js';
import { counted } from '../support/counted.js';
import { endingOf, intentOf, openJournaled } from '../support/journals.js';
import { type Random, randomFrom } from '../support/random.js';
import { ApprovalsModel } from './approvals-model.js';

const RUN = counted('histories of approvals', 2_000);
const MINUTE = 60_000;
const STEPS = 30;
const DEFINITIONS = ['a'.repeat(64), 'b'.repeat(64)];
const PROJECTS = ['one', 'two'];

type Word = 'yes' | 'no' | 'cancel';
const responseOf = (word: Word) =>
  word === 'cancel' ? { action: 'cancel' } : { action: 'accept', content: { answer: word, why: 'because' } };

type Kind = 'modern' | 'legacy' | 'plain' | 'asks itself';
const KINDS: readonly Kind[] = ['modern', 'legacy', 'plain', 'asks itself'];
const VIA: Readonly<Record<Kind, ApprovalCase['ask']['via']>> = {
  modern: ['elicitation', 'command'],
  legacy: ['elicitation', 'command'],
  plain: ['elicitation', 'command'],
  'asks itself': ['client', 'command'],
};

/** A client; `say`: how its person answers at once, if it is one of the old era that shows forms. */
const peerOf = (kind: Kind, say: () => Word): Peer | undefined => {
  if (kind === 'plain' || kind === 'asks itself') return { era: 'legacy', capabilities: {} } as unknown as Peer;
  const ask = async () => responseOf(say());
  return { era: kind, capabilities: { elicitation: {} }, ask } as unknown as Peer;
};

const open = async (dir?: string) => openJournaled(dir === undefined ? {} : { dir });

/** One history: its clock, its two processes, what the server says of its tool, and the model. */
class History {
  readonly random: Random;
  readonly model = new ApprovalsModel();
  readonly processes: Awaited<ReturnType<typeof open>>[] = [];
  readonly seen: string[] = [];
  nowMs = Date.parse('2026-11-18T10:00:00.000Z');
  definition = 0;
  deaths = 0;

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  async begin(): Promise<void> {
    this.processes.push(await open());
    this.processes.push(await open(this.processes[0]?.dir));
  }

  get dir(): string {
    return this.processes[0]?.dir ?? '';
  }

  #at(place: number) {
    const found = this.processes[place];
    if (found === undefined) throw new Error('no such process');
    return found;
  }

  #approver(place: number, project: number): Approver {
    const { store, ledger } = this.#at(place);
    return new Approver({
      books: () => ({ store, ledger }),
      now: () => new Date(this.nowMs).toISOString(),
      wallMs: () => this.nowMs,
      asker: async () => ['1/1'],
      client: () => undefined,
      warn: (text) => {
        throw new Error(text);
      },
      project: PROJECTS[project] ?? '',
      keepsArguments: true,
    });
  }

  #about = (project: number, arg: number): string => `${project} ${arg} ${this.definition}`;

  async step(): Promise<void> {
    const { random } = this;
    this.nowMs += random.int(1_000);
    const what = random.int(20);
    if (what < 2) this.nowMs += random.int(8) * MINUTE;
    else if (what === 2) this.nowMs -= random.int(8) * MINUTE;
    else if (what === 3) this.definition = 1 - this.definition;
    else if (what === 4) await this.#die(random.int(2));
    else if (what < 8) await this.#command();
    else if (what === 8) await this.#sweep();
    else await this.#call();
  }

  /** A process dies and another begins in its place. */
  async #die(place: number): Promise<void> {
    const { dir } = this;
    this.deaths += 1;
    await this.#at(place).die();
    this.processes[place] = await open(dir);
  }

  async #sweep(): Promise<void> {
    await this.#approver(this.random.int(2), 0).expire();
    this.model.notice(this.nowMs);
  }

  /** A person answers one of the questions by the command, also one that nobody waits for any more. */
  async #command(): Promise<void> {
    const id = this.seen.length === 0 ? undefined : this.random.pick(this.seen);
    if (id === undefined) return;
    const word = this.random.pick(['yes', 'no'] as const);
    const { store, ledger } = this.#at(this.random.int(2));
    const to = { log: ledger.log, at: new Date(this.nowMs).toISOString() };
    await store.write(async (tx) => {
      const row = await approvalById(tx, id);
      const [waiting] = row?.state === 'asked' ? await expireOver(tx, [row], to) : [];
      const state = word === 'yes' ? ('granted' as const) : ('denied' as const);
      if (waiting !== undefined)
        await changeApproval(tx, waiting, { state, via: 'command', answered_by: 'ada', claimed: 0, reason: null }, to);
    });
    this.model.answer(id, word, this.nowMs);
    this.model.notice(this.nowMs, (one) => one.id === id && one.state === 'asked');
  }

  async #call(): Promise<void> {
    const { random, model } = this;
    const [place, project, arg] = [random.int(2), random.int(2), random.int(3)];
    const kind = random.pick(KINDS);
    const about = this.#about(project, arg);
    const word = random.pick(['yes', 'no', 'cancel'] as const);
    // Sometimes an answer comes with the call: to its own question, or to any that was ever asked.
    const old = kind === 'modern' && this.seen.length > 0 && random.int(2) === 0 ? random.pick(this.seen) : undefined;
    if (old !== undefined && word !== 'cancel') model.answer(old, word, this.nowMs);
    const expected = model.call(about, this.nowMs, kind === 'asks itself');
    const asked = await this.#case({ place, arg, kind, word, old });
    const judged = await this.#approver(place, project).judge(asked);
    const id = this.#judged(judged, expected, about);
    if (kind === 'legacy' && expected.is === 'wait' && id !== undefined && word !== 'cancel') {
      // The form was answered while the call waited.
      model.answer(id, word, this.nowMs);
      expect('permit' in judged).toBe(word === 'yes');
    } else expect('permit' in judged).toBe(expected.is === 'permit');
    if ('permit' in judged) await this.#send(judged, { asked, place, project, about });
    await this.#end(place, asked);
  }

  async #case(how: {
    readonly place: number;
    readonly arg: number;
    readonly kind: Kind;
    readonly word: Word;
    readonly old: string | undefined;
  }): Promise<ApprovalCase> {
    const call = crypto.randomUUID();
    const pair = (await this.#at(how.place).ledger.enter(intentOf(call, { n: how.arg }))) as Pair;
    const peer = peerOf(how.kind, () => how.word);
    return {
      place: { server: 's', tool: 't' },
      // The secret differs with the argument, and no record shows it.
      args: { secret: `sk-live-${how.arg}` },
      request: { id: call, pair, peer, client: { name: how.kind, version: '1', protocol: 'p' } },
      ask: { via: [...VIA[how.kind]], minutes: 10, clients: ['asks itself'], quorum: null },
      definition: () => DEFINITIONS[this.definition] ?? '',
      isFlagged: how.kind === 'asks itself',
      answered: how.old === undefined ? undefined : { approvalId: how.old, response: responseOf(how.word) },
    };
  }

  /** Holds a judgement against what the model expects. Returns the approval that the call waits for, or waited for. */
  #judged(judged: ApprovalJudgement, expected: ReturnType<ApprovalsModel['call']>, about: string): string | undefined {
    if (expected.is === 'denied') {
      expect(judged).toMatchObject({ refused: { code: 'APPROVAL_DENIED' } });
      return undefined;
    }
    const id =
      'permit' in judged
        ? judged.permit.approvalId
        : 'question' in judged
          ? judged.approvalId
          : String(judged.refused.refusal._meta['dev.colibri/refusal'].error.details.approval_id);
    if (expected.is === 'permit' || expected.id !== undefined) expect(id).toBe(expected.id);
    else if (id !== undefined) {
      this.model.asked(id, about, this.nowMs + 10 * MINUTE);
      this.seen.push(id);
    }
    return id;
  }

  /** The call gets its turn, perhaps late, with another definition, after its process died, or beside the same call of the other process. */
  async #send(
    { permit }: Extract<ApprovalJudgement, { permit: unknown }>,
    { asked, place, project, about }: { asked: ApprovalCase; place: number; project: number; about: string },
  ): Promise<void> {
    const { random, model } = this;
    const rival = random.int(2) === 0 ? await this.#rival(asked, 1 - place, project) : undefined;
    if (random.int(5) === 0) this.nowMs += 11 * MINUTE;
    if (random.int(6) === 0) this.definition = 1 - this.definition;
    const now = about.replace(/\d$/, String(this.definition));
    const known = permit.approvalId;
    const uses = await Promise.all([permit.use(), ...(rival === undefined ? [] : [rival.permit.use()])]);
    const through = uses.filter((one) => one === undefined).length;
    if (known !== undefined) expect(through).toBe(model.send(known, now, this.nowMs) ? 1 : 0);
    else this.#sentByItself([permit.approvalId, rival?.permit.approvalId], { now, about, through });
    if (rival !== undefined) await this.#end(1 - place, rival.asked);
  }

  /** Of clients that ask by themselves each call has an approval of its own, asked, granted and used at once. */
  #sentByItself(
    ids: readonly (string | undefined)[],
    { now, about, through }: { readonly now: string; readonly about: string; readonly through: number },
  ): void {
    const made = ids.flatMap((id) => id ?? []);
    expect(made.length).toBe(through);
    expect(new Set(made).size).toBe(made.length);
    if (now !== about) expect(through).toBe(0);
    else expect(through).toBeGreaterThan(0);
    for (const id of made) {
      this.model.asked(id, now, this.nowMs + 10 * MINUTE);
      this.model.answer(id, 'yes', this.nowMs);
      expect(this.model.send(id, now, this.nowMs)).toBe(true);
      this.seen.push(id);
    }
  }

  /** The same call of the other process, which has the same permit. */
  async #rival(asked: ApprovalCase, place: number, project: number) {
    const call = crypto.randomUUID();
    const pair = (await this.#at(place).ledger.enter(intentOf(call))) as Pair;
    const mine = { ...asked, answered: undefined, request: { ...asked.request, id: call, pair } };
    const judged = await this.#approver(place, project).judge(mine);
    if (!('permit' in judged)) throw new Error('two processes judge one call differently');
    return { permit: judged.permit, asked: mine };
  }

  /** The call ends, or its process dies first. */
  async #end(place: number, { request }: ApprovalCase): Promise<void> {
    if (this.random.int(12) === 0) return this.#die(place);
    await this.#at(place).ledger.exit(request.pair as Pair, endingOf(request.id));
  }

  async states(): Promise<Record<string, string>> {
    const rows = await this.#at(0).store.read((tx) =>
      tx.all<{ approval_id: string; state: string }>('SELECT approval_id, state FROM approvals'),
    );
    return Object.fromEntries(rows.map(({ approval_id, state }) => [approval_id, state]));
  }
}

test(`${RUN.count} histories`, { timeout: 60_000 + RUN.count * 2_000 }, async () => {
  const totals = { used: 0, denied: 0, expired: 0, deaths: 0 };
  for (let i = 0; i < RUN.count; i++) {
    const history = new History(RUN.seed + i);
    await history.begin();
    for (let step = 0; step < STEPS; step++) await history.step();
    const states = history.model.states();
    expect(await history.states(), `seed ${RUN.seed + i}`).toEqual(states);
    expect(Object.values(states).filter((state) => state === 'used').length).toBe(history.model.sent);
    for (const state of Object.values(states)) if (state in totals) totals[state as keyof typeof totals] += 1;
    totals.deaths += history.deaths;
    for (const one of history.processes) await one.die();
    const path = `${history.dir}/colibri.db`;
    const { exit, findings } = await verifyStore({ path, scope: { kind: 'store' }, workers: 0 });
    expect([exit === 20, findings], `seed ${RUN.seed + i}`).toEqual([false, []]);
    RUN.progress(i + 1);
  }
  // Histories in which nothing happens prove nothing.
  process.stderr.write(`histories of approvals: ${JSON.stringify(totals)}\n`);
  expect(Math.min(...Object.values(totals))).toBeGreaterThan(RUN.count / 2);
});
