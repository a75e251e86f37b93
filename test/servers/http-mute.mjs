// Takes connections and requests, and never answers.
import { listen } from './http.mjs';

listen(() => new Promise(() => {}));
