// Finds the known word that somebody probably meant, for every message that refuses a name.
import { CORE_LIMITS } from './limits.js';

/** The Levenshtein distance of two words, computed one row at a time. */
const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
};

/**
 * The candidate closest to the word if at most two letters differ (a swap counts as two), or a third of a long word; otherwise a candidate
 * that contains the word.
 */
export const nearest = (word: string, candidates: readonly string[]): string | undefined => {
  const short = word.slice(0, CORE_LIMITS.nearestChars).toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, away: distance(short, candidate.toLowerCase()) }))
    .filter(({ candidate, away }) => away <= Math.max(2, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.candidate ?? candidates.find((candidate) => candidate.toLowerCase().split('_').includes(short));
};
