// A yes is judged when a call is sent, and is good for one sending: one pass here; the rest in sending.deep.test.ts.
import { BY_FILE, testFileChanged, testSentOnce } from './sending.shared.js';

testSentOnce(['v2 legacy'], { 'the file': BY_FILE });
testFileChanged(['v2 modern']);
