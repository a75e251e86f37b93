// The tests of headers-wire.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './headers-wire.test.js';
