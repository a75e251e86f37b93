// The type of the part of a server's backend that the switchboard uses, so that a test can use a fake instead.
import type { Backend } from '../server/backend.js';

export type Served = Pick<
  Backend,
  | 'name'
  | 'state'
  | 'link'
  | 'peers'
  | 'catalogueDigest'
  | 'tools'
  | 'mayList'
  | 'call'
  | 'ask'
  | 'answer'
  | 'reconfigure'
  | 'remove'
  | 'close'
  | 'snapshot'
>;
