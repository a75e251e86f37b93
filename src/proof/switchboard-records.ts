// The shapes of the records that the switchboard writes about its servers, and of what a call's outcome says about its route
// (docs/audit-format.md), with their types.
import { type RecordWith, SUBJECTS } from './record-parts.js';
import { eitherOf, listing, type MembersOf, objectOf, oneOf, orNull, type ShapeValue } from './shape.js';

const HOW = oneOf(
  // The server answered with a result, with a result that has `isError`, or with a JSON-RPC error.
  'result',
  'is_error',
  'error',
  // The server answered with a question to the client, which has to call again.
  'input',
  // The attempt was refused because of the server's state, a full queue, or an HTTP status that is sent before a call is processed.
  'refused',
  // The server did not answer.
  'timeout',
  'lost',
  'server_error',
  'cancelled',
  // Colibri did not wait any longer, because another provider of the route could serve the call.
  'cut',
);

/** How an attempt to have a server handle a call ended. */
export type AttemptEnd = ShapeValue<typeof HOW>;

/** One attempt to have one server handle a call. A server may be tried twice: a lost call is sent once more if that is safe. */
export const ATTEMPT = objectOf({
  server: 'text',
  tool: 'text',
  how: HOW,
  'code?': 'text',
  // Whether any part of the call was sent to the server.
  sent: 'truth',
  duration_ms: 'count',
  // The approval that the call used up before it was sent.
  'approval?': 'text',
  // Who gave that approval, if it is not the word of the client that made the call: a user of the machine, or the voters of a quorum.
  'allowed_by?': listing('text'),
});
export type RouteAttempt = ShapeValue<typeof ATTEMPT>;

export const CANDIDATE = objectOf({
  server: 'text',
  tool: 'text',
  // The state of the server's health; null if there is no such server.
  state: orNull('text'),
  eligible: 'truth',
  'reason?': 'text',
});

/**
 * The candidate servers for a call, in the order of the configuration, each in the state in which it was chosen or last skipped, and the
 * attempts. `name` is the route's name; null if the caller named the tool itself.
 */
export const ROUTE = objectOf({
  name: orNull('text'),
  candidates: listing(CANDIDATE),
  attempts: listing(ATTEMPT),
});
export type RouteNote = ShapeValue<typeof ROUTE>;

/** A list of names; if the names would fill the record, their number and the SHA-256 of their RFC 8785 list. */
export const NAMES = eitherOf(listing('text'), objectOf({ count: 'count', digest: 'digest' }));
export type NameList = ShapeValue<typeof NAMES>;

/** Texts from other programs are stored beside the record, with a salt of their own: they can be erased, and every proof remains valid. */
export const KEPT_TEXTS = { 'texts?': oneOf('stored'), 'texts_digest?': 'digest', 'texts_bytes?': 'count' } as const;
export type KeptTexts = MembersOf<typeof KEPT_TEXTS>;

/**
 * A transition of the health machine of one server, with everything that is needed to repeat it. Error texts, some of them the server's
 * own, are stored beside the record: `{detail, event, before}`.
 */
export const HEALTH_MEMBERS = {
  instance: 'id',
  server: 'text',
  from: 'text',
  // The new state; null if the server was removed from the configuration.
  to: orNull('text'),
  // The reason of the new state, or the event if the state has no reason.
  cause: 'text',
  // Null if the new state has no reason; otherwise absent. In older records: the text of the reason.
  'detail?': orNull('text'),
  event: 'anything',
  // The health machine's whole state before the event.
  before: 'anything',
  // The time of the event in milliseconds, on the monotonic clock of the state machine that tracks the server's health.
  now_ms: 'number',
  ...KEPT_TEXTS,
} as const;
export type HealthRecord = RecordWith<'health', typeof HEALTH_MEMBERS>;

/** What may be said of an approval, and how a person, or for `client` the client, said it. `quorum`: a vote of several. */
const APPROVAL_STATE = oneOf('asked', 'granted', 'denied', 'used', 'expired');
export type ApprovalState = ShapeValue<typeof APPROVAL_STATE>;
const APPROVAL_WAY = oneOf('elicitation', 'command', 'client', 'quorum');
export type ApprovalWay = ShapeValue<typeof APPROVAL_WAY>;

/**
 * A change of an approval. `by` and `via` are null while nobody has answered; `claimed`: the answer is the word of the client. `call` is the
 * call that asked, or that used it. `instance` is the process that asked. `round`: for a quorum, the round of votes.
 */
export const APPROVAL_MEMBERS = {
  approval_id: 'text',
  state: APPROVAL_STATE,
  'call?': 'id',
  server: 'text',
  tool: 'text',
  args_digest: 'digest',
  definition: 'digest',
  by: orNull('text'),
  via: orNull(APPROVAL_WAY),
  'claimed?': 'flag',
  'reason?': 'text',
  'round?': 'text',
  instance: 'id',
  expires_at: 'time',
  subjects: SUBJECTS,
} as const;
export type ApprovalRecord = RecordWith<'approval', typeof APPROVAL_MEMBERS>;

const LISTS = { added: NAMES, removed: NAMES, changed: NAMES } as const;

/** A tool that a server added, removed or changed, with the SHA-256 of the RFC 8785 text of the whole object that the server sent. */
const TOOL_DIGESTS = objectOf({ tool: 'text', 'before?': 'digest', 'after?': 'digest' });
export type ToolDigests = ShapeValue<typeof TOOL_DIGESTS>;

/** Says that the tools of a server have changed. `digest` is that of the new list of tools. */
export const CATALOGUE_MEMBERS = {
  instance: 'id',
  server: 'text',
  digest: 'digest',
  ...LISTS,
  // Their number and the SHA-256 of their RFC 8785 list if they would fill the record.
  'digests?': eitherOf(listing(TOOL_DIGESTS), objectOf({ count: 'count', digest: 'digest' })),
  subjects: SUBJECTS,
} as const;

export type CatalogueRecord = RecordWith<'catalogue', typeof CATALOGUE_MEMBERS>;

/**
 * Says that a server has asked the person or the model behind the client something, by which method and during which call; null if several
 * were in flight. The question itself is not recorded.
 */
export const ASKED_MEMBERS = { instance: 'id', server: 'text', method: 'text', call: orNull('id') } as const;

/** Says that the servers in the switchboard's configuration of a process have changed. */
export const CONFIG_MEMBERS = { instance: 'id', what: oneOf('switchboard'), digest: 'digest', ...LISTS } as const;
