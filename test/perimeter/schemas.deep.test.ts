// The tests of schemas.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './schemas.test.js';
