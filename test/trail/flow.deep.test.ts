// The whole way on the wire, with the clients people use: open, think, verify, seal, prove. Proofs are checked by code
// that knows only their description.
import '../support/deep-part.js';
import './flow.test.js';
import { CLIENT_KINDS } from '../support/serve.js';
import { testTrail } from './flow.shared.js';

testTrail(CLIENT_KINDS.slice(1));
