// The tests of proof-file.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './proof-file.test.js';
