// The bounds of Colibri's own tools: the size of results, the length of arguments, the rows of lists.
export const DOMAIN_LIMITS = {
  /** The size of one result in UTF-8 bytes. Clients cut longer ones in the middle. */
  resultBytes: 24 * 1024,
  /** The part of a result that is kept free for the envelope around its data. */
  resultEnvelopeBytes: 64,
  /** The part of a result that is kept free for everything around the rows of a page. */
  pageEnvelopeBytes: 512,
  /** The part of an error that is kept free for everything but its details and the calls it advises. */
  errorEnvelopeBytes: 1_024,

  /** The length of a name: project, assignee, agent, session, thought. */
  nameChars: 128,
  /** The length of a server, tool or route name that the router tools take. */
  routerNameChars: 256,
  /** The length of a task's title. */
  titleChars: 256,
  /** The size of a task's description, counted as JSON. A text of quotes takes twice its length on the wire. */
  descriptionBytes: 16_384,
  /** The size of the note on a task, counted as JSON. */
  noteBytes: 4_096,
  /** How many tasks one task may depend on. */
  dependencies: 100,
  /** The length of a session's intent. */
  intentChars: 2_000,
  /** The size of a thought's content. */
  contentBytes: 65_536,
  /** The longest lease of a task. */
  leaseMinutes: 1_440,
  /** The lease of a task if the caller asks for no other. */
  leaseUsualMinutes: 30,

  /** How many rows `task_list` and `skill_list` may be asked for. */
  listRows: 200,
  /** How many rows a list gives if the caller asks for no other number. */
  listUsualRows: 50,
  /** How many rows `thought_record_list` may be asked for. */
  thoughtRows: 500,
  /** How many rows `thought_record_list` gives at once, whatever is asked for. More never fit into a result. */
  thoughtPageRows: 64,
  /** How many tasks `task_next_actions` may be asked for. */
  actionRows: 100,
  /** How many tasks `task_next_actions` gives if the caller asks for no other number. */
  actionUsualRows: 10,
  /** The length of a text or capability that a list is searched for. */
  searchChars: 200,
  /** The length of a cursor. Cursors are ASCII, so this is their size in bytes too. */
  cursorChars: 1_000,
  /** How many tasks or thoughts one search looks at. */
  searchRows: 5_000,
  /** How many tasks or thoughts one search reads at a time. */
  searchStepRows: 500,

  /** How much of a thought's content `thought_record_list` shows. Asked for by id, it is shown whole. */
  shownContentChars: 280,
  /** How many tasks `task_next_actions` names as blocked, as waiting for one task, or as what one task waits for. */
  shownTasks: 10,
  /** How many task ids an error message names. */
  shownIds: 5,
  /** How much of a name an error message shows. */
  shownNameChars: 64,
  /** How many tasks of a circle of dependencies an error shows: half from its start, half from its end. */
  shownPathIds: 100,
  /** How many calls the advice of an error consists of. */
  adviceCalls: 3,
  /** How many findings `audit_verify_chain` shows. `colibri verify --json` shows more. */
  shownFindings: 5,
  /** How many lines each other list of `audit_verify_chain` shows. */
  shownVerdictLines: 20,

  /** How many expired leases one claim clears. */
  expiredLeases: 100,
  /** How many hashes are read at a time while a session is sealed. */
  sealBatch: 1_000,
} as const;
