// Large results for a client of the newer protocol.
import { largeResults } from './large-results.shared.js';

largeResults('modern');
