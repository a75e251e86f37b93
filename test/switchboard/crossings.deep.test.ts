// Every cell of the table in src/switchboard/relay/crossings.ts, with real clients and real servers of both eras.

import { CELLS, testCrossings } from './crossings.shared.js';

testCrossings(CELLS);
