import { expect, it, vi } from 'vitest';
import { LEDGER_LIMITS } from './limits.js';
import { knownNotes } from './notes.js';

it('remembers the last notes that were right, each with its public key, and no wrong ones', () => {
  const read = vi.fn(({ note }: { note: string }) => (note === 'wrong' ? undefined : `root of ${note}`));
  const notes = knownNotes(read);
  const asked = (note: string, publicKey = 'aa') => {
    read.mockClear();
    return [notes.rootIn({ note, publicKey }), read.mock.calls.length];
  };
  expect(asked('one')).toEqual(['root of one', 1]);
  expect(asked('one')).toEqual(['root of one', 0]);
  expect(asked('one', 'bb')).toEqual(['root of one', 1]);
  expect(asked('wrong')).toEqual([undefined, 1]);
  expect(asked('wrong')).toEqual([undefined, 1]);
  notes.add({ note: 'ours', publicKey: 'aa' }, 'our root');
  expect(asked('ours')).toEqual(['our root', 0]);
  for (let i = 1; i < LEDGER_LIMITS.notesKept; i++) asked(`note ${i}`);
  expect(asked('ours')).toEqual(['our root', 0]);
  expect(asked('one')).toEqual(['root of one', 1]);
});
