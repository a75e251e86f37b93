// A provider of a route asks the client something in the middle of a call: the answer goes back to that provider, in every pair
// of eras, through the route and through the router tools.

import { CELLS, testQuestions } from './routes-crossings.shared.js';

testQuestions(CELLS.slice(1));
