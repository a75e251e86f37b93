// The tests of scarce.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './scarce.test.js';
