// Exit codes of the program. `verify` has further ones of its own.

export const EXIT_FAILED = 1;
/** EX_TEMPFAIL of sysexits.h: the transport did not start in time. */
export const EXIT_TIMEOUT = 75;
/** 128 + SIGINT, as a shell reports it. */
export const EXIT_INTERRUPTED = 130;
