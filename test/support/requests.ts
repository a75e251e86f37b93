// A request as the stages get it from the door, with nothing in it but what a test is about.
import type { CallRequest } from '../../src/call/request.js';
import { cancelledBy } from '../../src/core/cancellation.js';

export const requestOf = ({
  signal = new AbortController().signal,
  ...more
}: Partial<CallRequest> & { readonly signal?: AbortSignal | undefined } = {}): CallRequest => ({
  id: crypto.randomUUID(),
  name: 'act',
  args: {},
  client: null,
  host: undefined,
  cancellation: cancelledBy(signal),
  meta: undefined,
  onProgress: undefined,
  peer: undefined,
  retry: undefined,
  ...more,
});
