// What a command says when it could not even be loaded: one sentence and what to do, never a stack. Imports nothing: where no file
// can be opened any more, nothing more can be loaded either.

const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: 'this process may open too few files at once. Raise the limit (ulimit -n 256) and try again',
  ENFILE: 'this machine has too many files open. Close some programs and try again',
  ENOMEM: 'there is not enough memory. Close some programs, or raise the limit (ulimit -v), and try again',
  ERR_MEMORY_ALLOCATION_FAILED:
    'there is not enough memory. Close some programs, or raise the limit (ulimit -v), and try again',
};

export const lastWords = (thrown: unknown): string => {
  const { code, message } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const known = typeof code === 'string' && Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
  const [line = ''] = String(message ?? thrown).split('\n');
  return `colibri: ${known ?? line}.`;
};
