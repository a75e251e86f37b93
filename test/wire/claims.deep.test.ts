// The tests of claims.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './claims.test.js';
