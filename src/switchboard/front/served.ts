// A backend as the switchboard asks for it: a test can put one in its place that does nothing by itself.
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
