// Counting votes: one of each name, none of whoever voted twice, whatever the order.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CastVote, countedVotes, equivocators, roundResultOf, tallyOf, VOTES } from './tally.js';

const ROOT = 'a'.repeat(64);
let next = 0;
const cast = (voter: string, vote: CastVote['vote'], rest: Partial<CastVote> = {}): CastVote => ({
  ...{ vote_id: String(next++).padStart(4, '0'), voter, vote, root: ROOT, form: 'vote' },
  ...rest,
});

describe('a tally', () => {
  it('counts each name once', () => {
    const votes = [cast('ada', 'approve'), cast('bob', 'reject'), cast('cyd', 'abstain'), cast('dan', 'approve')];
    expect(tallyOf(votes)).toEqual({ approve: 2, reject: 1, abstain: 1, equivocated: 0 });
  });

  it('counts votes of one name that say the same in several stores once', () => {
    const votes = [cast('ada', 'approve'), cast('ada', 'approve')];
    expect(tallyOf(votes)).toMatchObject({ approve: 1, equivocated: 0 });
    expect(countedVotes(votes)).toEqual([votes[0]]);
  });

  it.each([
    ['another vote', cast('ada', 'reject')],
    ['another root', cast('ada', 'approve', { root: 'b'.repeat(64) })],
    ['an attempt that was recorded', cast('ada', 'approve', { form: 'equivocation' })],
  ])('counts nobody who voted twice: %s', (_, second) => {
    const votes = [cast('ada', 'approve'), second, cast('bob', 'approve')];
    expect(tallyOf(votes)).toMatchObject({ approve: 1, equivocated: 1 });
    expect(equivocators(votes)).toEqual(['ada']);
  });

  it('is decided by the first of both that reaches the number', () => {
    const tally = { approve: 2, reject: 1, abstain: 5, equivocated: 0 };
    expect([1, 2, 3].map((need) => roundResultOf(tally, need))).toEqual(['approve', 'approve', undefined]);
    expect(roundResultOf({ ...tally, approve: 0 }, 1)).toBe('reject');
  });

  it('does not depend on the order, and a further double vote never adds to it', () => {
    const vote = fc.record({
      voter: fc.constantFrom('ada', 'bob', 'cyd'),
      vote: fc.constantFrom(...VOTES),
      root: fc.constantFrom(ROOT, 'b'.repeat(64)),
      form: fc.constantFrom('vote' as const, 'equivocation' as const),
    });
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 12 }), fc.integer(), (given, seed) => {
        const votes = given.map((one, i): CastVote => ({ ...one, vote_id: String(i).padStart(2, '0') }));
        const mixed = votes.toSorted((a, b) => ((Number(a.vote_id) * seed) % 7) - ((Number(b.vote_id) * seed) % 7));
        expect(tallyOf(mixed)).toEqual(tallyOf(votes));
        expect(countedVotes(mixed)).toEqual(countedVotes(votes));
        for (const voter of equivocators(votes))
          expect(equivocators([...votes, cast(voter, 'approve')])).toContain(voter);
      }),
    );
  });
});
