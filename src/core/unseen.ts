/** Stands among the names of processes for those that could not be seen. Whoever has it above himself may be below anybody. */
export const UNSEEN = 'unseen';
