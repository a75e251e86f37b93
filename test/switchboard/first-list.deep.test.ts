// The tests of first-list.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './first-list.test.js';
