// What bad-input.test.ts and bad-input.deep.test.ts share: arguments of a thought.
export const EMOJI = '🐦';
export const THOUGHT = { type: 'plan', content: 'c' };
