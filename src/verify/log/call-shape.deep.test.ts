// The tests of call-shape.test.ts that the fast gate leaves out.
import '../../../test/support/deep-part.js';
import './call-shape.test.js';
