// The tests of bad-input.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './bad-input.test.js';
