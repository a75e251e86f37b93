// The tests of tool-examples.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './tool-examples.test.js';
