// Large results for clients of both protocols; and that they are not parsed.
import { largeResultAsBytes, largeResults } from './large-results.shared.js';

largeResults('legacy');
largeResults('modern');
largeResultAsBytes();
