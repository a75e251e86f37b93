// A route of which one server hangs or answers with an error, as a newer client sees it.
import { routeWaits } from './route-waits.shared.js';

routeWaits('v2 modern');
