// The message of a command whose code could not be loaded: one sentence and a remedy, never a stack trace. This file imports nothing,
// because a process that cannot open files cannot load modules either.

const NO_MEMORY = 'there is not enough memory. Close some programs, or raise the limit (ulimit -v), and try again';

const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: 'this process may open too few files at once. Raise the limit (ulimit -n 256) and try again',
  ENFILE: 'this machine has too many files open. Close some programs and try again',
  ENOMEM: NO_MEMORY,
  ERR_MEMORY_ALLOCATION_FAILED: NO_MEMORY,
};

/** Node says of a package that it is not there also when it could not open its files. */
const NOT_FOUND =
  'If it is there, this process may open too few files at once: raise the limit (ulimit -n 256) and try again';

const firstLine = (thrown: unknown): string => {
  const { message } = Object(thrown) as { readonly message?: unknown };
  return String(message ?? thrown).split('\n')[0] ?? '';
};

/** What to say if open files or memory ran out; undefined for any other failure. */
export const scarcityOf = (thrown: unknown): string | undefined => {
  const { code } = Object(thrown) as { readonly code?: unknown };
  if (code === 'ERR_MODULE_NOT_FOUND') return `${firstLine(thrown)}. ${NOT_FOUND}`;
  return typeof code === 'string' && Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
};

export const lastWords = (thrown: unknown): string => `colibri: ${scarcityOf(thrown) ?? firstLine(thrown)}.`;
