// A server that fails to start again and again, as a newer client sees it.
import { failedStarts } from './failed-starts.shared.js';

failedStarts('v2 modern');
