// The exit codes of the program. `verify` has further exit codes of its own.

export const EXIT_FAILED = 1;
/** The transport did not start in time: EX_TEMPFAIL of sysexits.h. */
export const EXIT_TIMEOUT = 75;
/** The program was interrupted: 128 + SIGINT, as a shell reports it. */
export const EXIT_INTERRUPTED = 130;
