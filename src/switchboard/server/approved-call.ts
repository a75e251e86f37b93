// A call that needs a person's yes, on its way to one server: asks, takes the answer of a client of protocol 2026-07-28, and lets the call go on. A
// call that was approved may be continued without a further yes, once for each question of the server.
import type { Answer, Refused, TriedAnswer } from '../../call/answer.js';
import type { OnwardRequest } from '../../call/request.js';
import type { ApprovalCase, CallPermit } from '../approval/approver.js';
import type { AskValues } from '../config/keys.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { approvalRequired, INVALID_STATE, type ToolPlace } from '../refusal.js';
import type { InputSeal } from './input-state.js';
import type { AsksPeople } from './world.js';

/** The `requestState`s that clients were given by approved calls, and have not sent back yet. */
export class Continuations {
  readonly #given = new Set<string>();

  give(state: string): void {
    this.#given.delete(state);
    this.#given.add(state);
    for (const oldest of this.#given) {
      if (this.#given.size <= SWITCHBOARD_LIMITS.continuations) return;
      this.#given.delete(oldest);
    }
  }

  /** Whether the state was given and not sent back yet. From now on it was. */
  take(state: string): boolean {
    return this.#given.delete(state);
  }
}

interface AskedCallOf {
  readonly place: ToolPlace;
  readonly args: unknown;
  readonly request: OnwardRequest;
  /** What a `requestState` is valid for. */
  readonly about: unknown;
  readonly ask: AskValues;
}

interface ApprovedWorld {
  readonly approver: AsksPeople | undefined;
  readonly seal: InputSeal;
  readonly continuations: Continuations;
}

type RunApproved = (request: OnwardRequest, beforeSending: () => Promise<Refused | undefined>) => Promise<TriedAnswer>;

/** The name under which the question for a yes stands among those of an answer. */
const QUESTION = 'colibri_approval';

/** A continuation has the yes of its call, which is used. */
const USED = (): Promise<undefined> => Promise.resolve(undefined);

const untried = (answer: Answer): TriedAnswer => ({
  ...answer,
  tries: [{ how: answer.kind === 'input' ? 'input' : 'refused', sent: false, durationMs: 0, ...codeOf(answer) }],
});

const codeOf = (answer: Answer) =>
  answer.kind === 'refused' && answer.code !== 'cancelled' ? { code: answer.code } : {};

const noted = (answer: TriedAnswer, { approvalId, allowedBy, isUsed }: CallPermit): TriedAnswer =>
  !isUsed || approvalId === undefined
    ? answer
    : { ...answer, tries: answer.tries.map((one) => ({ ...one, approval: approvalId, allowedBy })) };

export const callWithApproval = async (
  asked: AskedCallOf,
  { approver, seal, continuations }: ApprovedWorld,
  run: RunApproved,
): Promise<TriedAnswer> => {
  const { place, args, request, about, ask } = asked;
  const remembered = (answer: TriedAnswer): TriedAnswer => {
    if (answer.kind === 'input' && typeof answer.result.requestState === 'string')
      continuations.give(answer.result.requestState);
    return answer;
  };
  if (approver === undefined)
    return untried({
      kind: 'refused',
      code: 'APPROVAL_REQUIRED',
      sent: false,
      refusal: approvalRequired(place, undefined, false),
    });
  const state = request.retry?.requestState;
  const opened = state === undefined ? undefined : seal.open(state, about);
  if (state !== undefined && opened === undefined) return untried(INVALID_STATE);
  const approvalId = opened !== undefined && 'approval' in opened ? opened.approval : undefined;
  if (state !== undefined && approvalId === undefined)
    return continuations.take(state) ? remembered(await run(request, USED)) : untried(INVALID_STATE);
  const answered: ApprovalCase['answered'] =
    approvalId === undefined ? undefined : { approvalId, response: request.retry?.inputResponses[QUESTION] };
  const judgement = await approver.judge({
    ...{ place, args, request, ask, answered },
    definition: () => approver.definitionOf(place.server, place.tool),
    isFlagged: approver.isFlagged(request.name ?? ''),
  });
  if ('refused' in judgement) return untried(judgement.refused);
  if ('question' in judgement) {
    const requestState = seal.close({ approval: judgement.approvalId }, about);
    const inputRequests = { [QUESTION]: { method: 'elicitation/create', params: judgement.question } };
    return untried({ kind: 'input', result: { inputRequests, requestState } });
  }
  const { permit } = judgement;
  return remembered(noted(await run({ ...request, retry: undefined }, permit.use), permit));
};
