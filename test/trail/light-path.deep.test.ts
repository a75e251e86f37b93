// The tests of light-path.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './light-path.test.js';
