// A yes is judged when a call is sent, and is good for one sending: every client, and every way in which that could be missed.
import { vi } from 'vitest';
import { CLIENT_KINDS } from '../support/serve.js';
import { BY_FILE, BY_HINT, testFileChanged, testListChanged, testRemembered, testSentOnce } from './sending.shared.js';

vi.setConfig({ testTimeout: 60_000 });

testSentOnce(CLIENT_KINDS, { 'the file': BY_FILE, 'its hint': BY_HINT });
testFileChanged(CLIENT_KINDS);
testListChanged(CLIENT_KINDS);
testRemembered(CLIENT_KINDS);
