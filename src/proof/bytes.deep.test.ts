// The tests of bytes.test.ts that the fast gate leaves out.
import '../../test/support/deep-part.js';
import './bytes.test.js';
