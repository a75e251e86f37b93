// Judges what the end of a call says about the health of its server. A tool result with `isError` counts as an answer.
import { SWITCHBOARD_LIMITS } from '../limits.js';

export interface CallEnd {
  /** Was anything handed to the pipe or the socket? */
  readonly sent: boolean;
  /**
   * `response`: a result or a JSON-RPC error came; `timeout`: ours, after `timeoutMs` without progress; `cancelled`: by the
   * client; `lost`: the transport went; `server_error`: HTTP 5xx.
   */
  readonly how: 'response' | 'timeout' | 'cancelled' | 'lost' | 'server_error';
  /** Frames of any kind that the server sent between our sending and the end. */
  readonly frames: number;
  /** From our sending to the end. */
  readonly elapsedMs: number;
}

/** The event to give to the health machine; `none` if another event reports it already. */
export type CallVerdict = 'call_answered' | 'call_failed' | 'call_cancelled' | 'call_not_sent' | 'none';

/**
 * A call failed if the server answered HTTP 5xx, or sent nothing at all until our timeout or until a client that had waited long enough
 * cancelled. A lost transport is reported by one `lost` event, however many calls were in flight.
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
