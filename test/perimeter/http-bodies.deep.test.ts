// Every body of test/perimeter/http-attacks.ts.
import '../support/deep-part.js';
import './http-bodies.test.js';
import { test } from 'vitest';
import { BODIES, meetBodies } from './http-attacks.js';

test('no body is too much, whatever its status, type and encoding', { timeout: 120_000 }, () =>
  meetBodies(Object.keys(BODIES)),
);
