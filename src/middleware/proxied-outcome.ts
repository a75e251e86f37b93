// Makes the outcome of a call of another server's tool from what that server answered, or from why it could not be asked.
import {
  type Answer,
  type LargeResult,
  type NativeResult,
  REFUSAL_KEY,
  type Refused,
  type RpcError,
} from '../call/answer.js';
import type { ProxiedTool } from '../call/context.js';
import { RPC } from '../core/rpc-codes.js';
import { newSalt } from '../ledger/hashes.js';
import { withoutForgeries, withoutHop } from '../proof/result-text.js';
import { type Envelope, errorBody, nativeResult, type Outcome, outcome } from './envelope.js';

const ANSWERED: Envelope = { ok: true, data: null };

/** The outcome of a call that another server answered with a result, `isError` or not. */
const proxiedAnswer = (result: NativeResult): Outcome => ({
  kind: 'ok',
  envelope: { ok: true, data: result },
  salt: newSalt(),
  ...nativeResult(result),
});

/** The outcome of a call that another server answered with a result which is passed on as the bytes that came. */
const proxiedLarge = ({ result, salt, digest, whole }: LargeResult): Outcome => ({
  kind: 'ok',
  // Only an embedder's sink reads the data: the result is parsed if it does.
  envelope: {
    ok: true,
    get data() {
      return whole();
    },
  },
  text: '',
  salt,
  digest,
  form: 'bytes',
  native: { result },
});

/** The outcome of a call that another server answered with a JSON-RPC error, which is passed on unchanged. */
const proxiedError = (error: RpcError): Outcome =>
  outcome('domain_error', ANSWERED, {
    code: String(error.code),
    rpcCode: error.code,
    native: { error },
    error: new Error(error.message),
  });

const proxiedRefusal = ({ refusal, code, sent, last }: Refused, isRpc: boolean): Outcome => {
  const kind = sent ? 'failed' : 'refused';
  const error = new Error(code);
  if (!isRpc) return { kind, code, envelope: ANSWERED, salt: newSalt(), error, last, ...nativeResult({ ...refusal }) };
  const { message, details } = refusal._meta[REFUSAL_KEY].error;
  const body = errorBody(code, message, details);
  return outcome(kind, { ok: false, error: body }, { code, error, last, rpcCode: RPC.internal });
};

/** The recorded code of a call that was answered with questions: the client must call again with the answers. */
const INPUT_REQUIRED = 'input_required';

const proxiedInput = (result: NativeResult): Outcome => ({
  ...proxiedAnswer(result),
  code: INPUT_REQUIRED,
  resultType: INPUT_REQUIRED,
});

/** The outcome of a call of another server's tool. `tool`: undefined if a tool of Colibri made the call. */
export const proxied = (reply: Answer, tool: ProxiedTool | undefined): Outcome => {
  if (reply.kind === 'result') return proxiedAnswer(withoutHop(withoutForgeries(reply.result)));
  if (reply.kind === 'large') return proxiedLarge(reply.large);
  if (reply.kind === 'input') return proxiedInput(reply.result);
  return reply.kind === 'error' ? proxiedError(reply.error) : proxiedRefusal(reply, tool?.isRpc === true);
};
