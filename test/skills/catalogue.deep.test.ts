// The tests of catalogue.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './catalogue.test.js';
