// Large results for a client of older protocols; and that they are not parsed.
import { largeResultAsBytes, largeResults } from './large-results.shared.js';

largeResults('legacy');
largeResultAsBytes();
