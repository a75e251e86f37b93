// A server that fails to start again and again, as clients of both protocols see it.
import { failedStarts } from './failed-starts.shared.js';

failedStarts('v1');
failedStarts('v2 modern');
