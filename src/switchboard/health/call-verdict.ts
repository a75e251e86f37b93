// What the end of a call says about the server: the one place where that is judged. A tool's own `isError` is an answer.
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

/** The event to give to the machine; `none` where another event says it already. */
export type CallVerdict = 'call_answered' | 'call_failed' | 'call_cancelled' | 'call_not_sent' | 'none';

/**
 * Failed only if the server sent no frame at all, until our timeout or until a client that waited long enough gave up. A
 * lost transport is one `lost` event, whatever was in flight.
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
