// How much: a little with every test run, much more by `npm run test:tamper`, one change again by its seed.
const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const SEED = number('TAMPER_SEED', 20_261_115);
export const CHANGES = number('TAMPER_CHANGES', 300);
export const STORES = number('TAMPER_STORES', 3);

const EVERY = 100;

/** A line now and then, where somebody is waiting. */
export const progress = (done: number, all: number, what: string): void => {
  if (all > 1000 - EVERY && done % EVERY === 0) process.stderr.write(`${done} of ${all} ${what}\n`);
};
