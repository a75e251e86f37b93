// The contract of links over the pipes of a process, in both eras.
import { linkContract } from './link-contract.js';

linkContract('stdio, old era', { era: 'legacy', dial: (place) => place.fake('plain') });
linkContract('stdio, new era', { era: 'modern', dial: (place) => place.fake('modern') });
