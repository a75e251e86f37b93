// The tests of fewer-calls.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './fewer-calls.test.js';
