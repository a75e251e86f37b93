// Decides what the end of a call says about the health of the called server. A tool result with `isError` counts as an answer.
import { SWITCHBOARD_LIMITS } from '../limits.js';

export interface CallEnd {
  /** True if anything of the request was handed to the pipe or the socket. */
  readonly sent: boolean;
  /**
   * How the call ended. `response`: a result or a JSON-RPC error came; `timeout`: Colibri gave up after `timeoutMs` without progress;
   * `cancelled`: the client cancelled the call; `lost`: the connection was lost; `server_error`: HTTP 5xx.
   */
  readonly how: 'response' | 'timeout' | 'cancelled' | 'lost' | 'server_error';
  /** How many messages of any kind the server sent from the sending of the call to its end. */
  readonly frames: number;
  /** The milliseconds from the sending of the call to its end. */
  readonly elapsedMs: number;
}

/** The event to give to the health machine after a call; `none` if another event reports the call's end already. */
export type CallVerdict = 'call_answered' | 'call_failed' | 'call_cancelled' | 'call_not_sent' | 'none';

/**
 * A call failed if the server answered HTTP 5xx, or sent nothing at all until Colibri's timeout or until a client that had waited long
 * enough cancelled. A lost connection is reported by one `lost` event, however many calls were in flight.
 */
export const verdictOf = (end: CallEnd): CallVerdict => {
  if (!end.sent) return 'call_not_sent';
  switch (end.how) {
    case 'response':
      return 'call_answered';
    case 'server_error':
      return 'call_failed';
    case 'lost':
      return 'none';
    case 'timeout':
      return end.frames === 0 ? 'call_failed' : 'call_cancelled';
    case 'cancelled':
      return end.frames === 0 && end.elapsedMs > SWITCHBOARD_LIMITS.silenceMs ? 'call_failed' : 'call_cancelled';
  }
};
