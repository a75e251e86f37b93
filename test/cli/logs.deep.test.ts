// The tests of logs.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './logs.test.js';
