// The bounds of the page: how much of something is drawn at once, read, or kept.
export const PAGE_LIMITS = {
  /** How many calls one page of the list shows. */
  listRows: 100,
  /** How many bars the timeline of calls has. */
  timelineBars: 80,
  /** The height of the timeline's highest bar (pixels). */
  timelineHeight: 48,
  /** The most characters of a name, an argument or a title that a list shows. */
  listChars: 200,
  /** The most characters of a tool's name that a list shows. */
  nameChars: 80,
  /** The most characters of a value that a filter offers. */
  choiceChars: 60,
  /** The most characters of an error's words that a list shows. */
  errorChars: 160,
  /** How many characters of a hash are shown where the whole hash is not needed. */
  hashChars: 12,
  /** How many characters of the id of a log or of a process are shown. */
  idChars: 8,
  /** How many characters of a long text are shown before the button for more. */
  textChars: 4_000,
  /** The most characters of one text that the page shows at all. */
  mostTextChars: 200_000,
  /** How many calls a list on the first view shows. */
  nowCalls: 6,
  /** How many events the first view shows. */
  nowEvents: 25,
  /** The most tasks of one state on the board. */
  boardTasks: 50,
  /** The most sessions in the list. */
  sessions: 100,
  /** The most processes for which a server has a strip of health. */
  stripProcesses: 8,
  /** The narrowest part of a strip (percent of its width) that has a letter. */
  stripLetter: 6,
  /** The most changes of a server's health in the table. */
  healthChanges: 60,
  /** The most bytes of a file that the view Check reads. */
  checkBytes: 32 * 1024 * 1024,
  /** The most receipts of one file that are checked. */
  checkReceipts: 20_000,
  /** The most receipts that do not match of which the view Check says why. */
  checkFaults: 20,
  /** How long the check works before the browser may draw (milliseconds). */
  sliceMs: 12,
  /** How many characters are hashed between two pauses. */
  hashedChars: 256 * 1024,
  /** How many records of one log stay in a live page; older ones are dropped as newer ones come. */
  liveRecords: 5_000,
  /** How often a live page is drawn again at most (milliseconds). */
  redrawMs: 700,
} as const;
