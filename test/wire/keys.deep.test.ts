// The tests of keys.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './keys.test.js';
