// The tests of agent.test.ts that the fast gate leaves out.
import '../support/deep-part.js';
import './agent.test.js';
