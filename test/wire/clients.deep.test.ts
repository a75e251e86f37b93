// The tests of clients.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './clients.test.js';
