// The tests of proof-files.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './proof-files.test.js';
