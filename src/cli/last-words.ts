// What a command says when it could not even be loaded: one sentence and what to do, never a stack. Imports nothing: where no file
// can be opened any more, nothing more can be loaded either.

const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: 'this process may open too few files at once. Raise the limit (ulimit -n 256) and try again',
  ENFILE: 'this machine has too many files open. Close some programs and try again',
  ENOMEM: 'there is not enough memory. Close some programs, or raise the limit (ulimit -v), and try again',
  ERR_MEMORY_ALLOCATION_FAILED:
    'there is not enough memory. Close some programs, or raise the limit (ulimit -v), and try again',
};

/** What to do where files or memory ran out; undefined for any other failure. */
export const scarcityOf = (thrown: unknown): string | undefined => {
  const { code } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as { readonly code?: unknown };
  return typeof code === 'string' && Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
};

export const lastWords = (thrown: unknown): string => {
  const { message } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as { readonly message?: unknown };
  const [line = ''] = String(message ?? thrown).split('\n');
  return `colibri: ${scarcityOf(thrown) ?? line}.`;
};
