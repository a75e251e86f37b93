// The contract of links over HTTP, in both eras.
import { httpFake } from '../support/http-server.js';
import { linkContract } from './link-contract.js';

linkContract('HTTP, old era', {
  era: 'legacy',
  dial: async (place) => place.http((await httpFake(place, 'http-legacy')).url),
});

linkContract('HTTP, new era', {
  era: 'modern',
  dial: async (place) => place.http((await httpFake(place, 'http-modern')).url),
});
