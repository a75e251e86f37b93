// The bounds of Colibri's own tools: the most bytes of a result, the most characters of an argument, the most rows of a list.
export const DOMAIN_LIMITS = {
  /** The most UTF-8 bytes of one tool result. Clients cut longer results in the middle. */
  resultBytes: 24 * 1024,
  /** The bytes of a result that are kept free for the envelope around its data. */
  resultEnvelopeBytes: 64,
  /** The bytes of a result that are kept free for everything around the rows of a page. */
  pageEnvelopeBytes: 512,
  /** The bytes of an error result that are kept free for everything but the error's details and the calls it advises. */
  errorEnvelopeBytes: 1_024,

  /** The most characters of a name: of a project, assignee, agent, session or thought. */
  nameChars: 128,
  /** The most characters of a server, tool or route name that the router tools take. */
  routerNameChars: 256,
  /** The most characters of a task's title. */
  titleChars: 256,
  /** The most bytes of a task's description, counted as JSON. A text of quotes takes twice its length on the wire. */
  descriptionBytes: 16_384,
  /** The most bytes of the note on a task, counted as JSON. */
  noteBytes: 4_096,
  /** The most tasks that one call of `task_create` makes. */
  createdTasks: 50,
  /** The most characters of the name that a task has inside one call of `task_create`. */
  refChars: 64,
  /** The most steps of one call of `task_update`. */
  updateSteps: 8,
  /** The most tasks that the answer to a change names as unblocked or stranded. */
  namedTasks: 100,
  /** The most tasks that one task can depend on. */
  dependencies: 100,
  /** The most characters of the text that says what a session is for (its intent). */
  intentChars: 2_000,
  /** The most bytes of a thought's content. */
  contentBytes: 65_536,
  /** The longest lease of a task, in minutes. */
  leaseMinutes: 1_440,
  /** How many minutes the lease of a task lasts if the caller asks for no other time. */
  leaseUsualMinutes: 30,

  /** The most characters of the name of an agent or server whose reputation is asked for. */
  nodeChars: 256,
  /** The latest UTC day, counted from 1970, for which scores are computed. */
  latestEpoch: 1_000_000,
  /** The most events of `reputation_history` that a caller can ask for. */
  historyRows: 500,
  /** The most rows of `reputation_leaderboard` that a caller can ask for. */
  leaderRows: 1_000,
  /** How many rows `reputation_leaderboard` returns if the caller asks for no other number. */
  leaderUsualRows: 100,
  /** The most logs that an answer about reputation names: the newest ones. */
  shownLogs: 20,
  /** The most characters of the input of `vrf_eval`. */
  vrfInputChars: 4_096,

  /** The most rows that a caller can ask `task_list` and `skill_list` for. */
  listRows: 200,
  /** The most rows that a list returns if the caller asks for no other number. */
  listUsualRows: 50,
  /** The most rows that a caller can ask `thought_record_list` for. */
  thoughtRows: 500,
  /** The most rows that `thought_record_list` returns in one page, whatever the caller asks for. More never fit into a result. */
  thoughtPageRows: 64,
  /** The most tasks that a caller can ask `task_next_actions` for. */
  actionRows: 100,
  /** The most tasks that `task_next_actions` returns if the caller asks for no other number. */
  actionUsualRows: 10,
  /** The most characters of a text or capability that a list is searched for. */
  searchChars: 200,
  /** The most characters of a list's cursor. Cursors are ASCII, so this is their size in bytes too. */
  cursorChars: 1_000,
  /** The most tasks or thoughts that one search looks at. */
  searchRows: 5_000,
  /** The most tasks or thoughts that one search reads at a time. */
  searchStepRows: 500,

  /** The most characters of a thought's content that `thought_record_list` shows. A thought asked for by id is shown whole. */
  shownContentChars: 280,
  /** The most tasks in each list of `task_next_actions`: blocked tasks, tasks that wait for one task, and tasks that one task waits for. */
  shownTasks: 10,
  /** The most task ids that an error message names. */
  shownIds: 5,
  /** The most characters of a name that an error message shows. */
  shownNameChars: 64,
  /** The most tasks of a circular dependency that an error shows: half from its beginning, half from its end. */
  shownPathIds: 100,
  /** The most calls that an error advises. */
  adviceCalls: 3,
  /** The most findings that `audit_verify_chain` shows. `colibri verify --json` shows more. */
  shownFindings: 5,
  /** The most lines of each list that `audit_verify_chain` shows besides the findings. */
  shownVerdictLines: 20,

  /** The most live leases of one holder that a claim looks at. */
  heldLeases: 32,
  /** The most tasks in the queue that a claim which got nothing looks at, to find those whose assignee was silent. */
  silentRows: 100,
  /** After how many hours without a sign of life the assignee of a task counts as silent. */
  silentHours: 24,
  /** For how many minutes a task that was given back comes last of its priority for whoever gave it back. */
  releasedMinutes: 10,
  /** The most bytes of the answer to a claim. */
  claimBytes: 6 * 1024,
  /** The most bytes of the notes on a task's dependencies, all together, in the answer to a claim. */
  claimDependencyBytes: 2 * 1024,
  /** The most notes on the task in the answer to a claim. */
  claimNotes: 3,
  /** The most expired leases that are cleared when a task is claimed. */
  expiredLeases: 100,
  /** The most thought hashes that are read at a time while a session is sealed. */
  sealBatch: 1_000,
} as const;
