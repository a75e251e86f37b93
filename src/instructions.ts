// What a client shows to its model about this server, in `initialize` and in `server/discover`. Models see this and
// the tool names first, so the first sentences must be enough.
export const INSTRUCTIONS = `Colibri stands between you and your tools and keeps a ledger: each call you make here is recorded before it runs and after it ended, and each result carries a receipt that anybody can check offline.

Call server_ping to see whether Colibri answers, and server_health to see its mode and whether its store is open (phase2).

Every result is {ok, data} or {ok, error}. An error has a code, a sentence that says what to do, and details. INVALID_PARAMS: correct the arguments it names. STORE_BUSY and STORE_UNAVAILABLE: wait details.retry_after_ms if given, then try again; the message names the remedy. A refusal changes nothing and is recorded too. Only what passes through Colibri is recorded: your client's own shell and file edits are not.`;
