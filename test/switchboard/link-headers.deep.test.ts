// The tests of link-headers.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './link-headers.test.js';
