// The tests of merkle.test.ts that the fast gate leaves out.
import '../../test/support/deep-part.js';
import './merkle.test.js';
