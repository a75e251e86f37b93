import { expect, it } from 'vitest';
import { linksIn } from './direct-call.js';

it('finds the links of a result, whatever else is in it', () => {
  const content = [
    { type: 'resource_link', uri: 'a://1' },
    { type: 'resource', resource: { uri: 'a://2' } },
    { type: 'resource_link', uri: 7 },
    null,
    { type: 'text', text: 'x', uri: 'a://3' },
  ];
  expect(linksIn({ content })).toEqual(['a://1', 'a://2']);
  expect(linksIn({ content: 'none' })).toEqual([]);
});
