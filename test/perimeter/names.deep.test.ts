// Every planting of test/perimeter/planted-catalogue.ts.
import { test } from 'vitest';
import { PLANTED, plantAndList } from './planted-catalogue.js';

test('a remembered list counts only with its record, whatever was planted', { timeout: 120_000 }, () =>
  plantAndList(Object.keys(PLANTED)),
);
