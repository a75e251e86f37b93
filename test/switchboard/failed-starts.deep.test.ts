// A server that fails to start again and again, as an older client sees it.
import { failedStarts } from './failed-starts.shared.js';

failedStarts('v1');
