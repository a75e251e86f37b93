// Sends a capability check (a health check that calls a tool) through the five stages of every call, so that the check is recorded as a call.
import type { RoutedAnswer } from '../../call/answer.js';
import type { OwnCheck, ProxiedTool } from '../../call/context.js';
import { within } from '../../core/clock.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { LinkAnswer } from '../link/link.js';
import { refusingAs, type ToolPlace } from '../refusal.js';
import { attemptsAt, routeNote } from '../route/route.js';
import { answerTo, tryOf, withTries } from '../server/call.js';
import type { CapabilityCall, RecordedCheck } from '../server/world.js';

export interface CheckCallDeps {
  /** Returns the function that runs a check through the five stages of a call; undefined until those stages are set up. */
  readonly run: () => ((check: OwnCheck) => Promise<void>) | undefined;
  /** The public name of a server's tool; undefined if the tool is not listed. */
  readonly nameOf: (place: ToolPlace) => string | undefined;
  readonly wallMs: () => number;
}

/** A capability check only calls tools that are known to change nothing. */
const SAFETY = { readOnly: true, idempotent: true } as const;

const replyOf = (check: CapabilityCall, answer: LinkAnswer, sentWallMs: number): RoutedAnswer => {
  const { server, tool, state, timeoutMs } = check;
  const attempt = { answer, sentWallMs, safety: SAFETY };
  const place = { server, tool };
  const reply = answerTo({ place, timeoutMs, alternatives: () => [] }, attempt);
  const { tries, ...tried } = withTries(reply, [tryOf(attempt, answer.elapsedMs)]);
  const candidate = { server, tool, state, eligible: true, rank: 1, reason: null, text: null, retryAfterMs: null };
  return { ...tried, route: routeNote(null, [candidate], attemptsAt(place, tries)) };
};

export class CheckCalls {
  readonly #deps: CheckCallDeps;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: CheckCallDeps) {
    this.#deps = deps;
  }

  readonly record: RecordedCheck = async (check, send) => {
    const { run, nameOf, wallMs } = this.#deps;
    let answer: LinkAnswer | undefined;
    const tool: ProxiedTool = {
      // The check's arguments come from the switchboard file, and only the server validates them.
      check: () => ({ args: check.args }),
      call: async () => {
        const sentWallMs = wallMs();
        answer = await send();
        return replyOf(check, answer, sentWallMs);
      },
      refusal: refusingAs({}),
    };
    const name = nameOf(check) ?? `${check.server}__${check.tool}`;
    await this.#track(run()?.({ name, args: check.args, tool }));
    return answer;
  };

  async #track(running: Promise<void> | undefined): Promise<void> {
    if (running === undefined) return;
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }

  /** Called when all servers have ended: resolves when the capability checks that were running are recorded. */
  async ended(): Promise<void> {
    await within(Promise.allSettled(this.#running), SWITCHBOARD_LIMITS.checkEndMs);
  }
}
