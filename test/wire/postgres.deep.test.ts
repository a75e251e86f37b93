// The tests of postgres.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './postgres.test.js';
