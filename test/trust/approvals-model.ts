// What approvals are, in plain words and without any code of ours: the model that random histories are held against. It knows what was asked, answered
// and used, and when; it decides what the next answer to a call must be.

export type ModelState = 'asked' | 'granted' | 'denied' | 'used' | 'expired';

export interface ModelApproval {
  readonly id: string;
  /** Everything that an approval is for, as one text. */
  readonly about: string;
  readonly until: number;
  state: ModelState;
}

/** What a call must be answered with. `permit`: it may go on. `wait`: a question or a refusal with this id; with a new one if it is undefined. */
export type Expected =
  | { readonly is: 'denied'; readonly id: string }
  | { readonly is: 'permit'; readonly id: string | undefined }
  | { readonly is: 'wait'; readonly id: string | undefined };

export class ApprovalsModel {
  readonly all: ModelApproval[] = [];
  /** How often a call was sent. */
  sent = 0;

  /** Time is over for what waits: once that was noticed it stays so, whatever the clock does. */
  notice(now: number, which: (one: ModelApproval) => boolean = () => true): void {
    for (const one of this.all.filter(which))
      if (one.until <= now && (one.state === 'asked' || one.state === 'granted')) one.state = 'expired';
  }

  /** A person says yes or no to a question that waits. */
  answer(id: string, word: 'yes' | 'no', now: number): void {
    const one = this.all.find((known) => known.id === id);
    if (one?.state === 'asked' && one.until > now) one.state = word === 'yes' ? 'granted' : 'denied';
  }

  /** `asksItself`: the call comes from a client that asks a person before each call. */
  call(about: string, now: number, asksItself: boolean): Expected {
    this.notice(now, (one) => one.about === about);
    const live = this.all.filter((one) => one.about === about && one.until > now);
    const inState = (state: ModelState) => live.find((one) => one.state === state);
    const denied = inState('denied');
    if (denied !== undefined) return { is: 'denied', id: denied.id };
    const granted = inState('granted');
    if (granted !== undefined) return { is: 'permit', id: granted.id };
    if (asksItself) return { is: 'permit', id: undefined };
    return { is: 'wait', id: inState('asked')?.id };
  }

  asked(id: string, about: string, until: number): void {
    if (this.all.some((one) => one.id === id)) throw new Error(`${id} was asked for twice`);
    this.all.push({ id, about, until, state: 'asked' });
  }

  /** Whether the call may be sent now. If it may, its approval is used. `about`: what is about to be sent. */
  send(id: string, about: string, now: number): boolean {
    const one = this.all.find((known) => known.id === id);
    if (one?.state !== 'granted' || one.until <= now || one.about !== about) return false;
    one.state = 'used';
    this.sent += 1;
    return true;
  }

  states(): Record<string, ModelState> {
    return Object.fromEntries(this.all.map(({ id, state }) => [id, state]));
  }
}
