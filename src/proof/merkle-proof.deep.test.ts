// The tests of merkle-proof.test.ts that the fast gate leaves out.
import '../../test/support/deep-part.js';
import './merkle-proof.test.js';
