// Which clients ask for a list again when they are told that it has changed. Such a client may wait for its first list of tools, and loses
// nothing if the list is not complete; others never see a tool that is missing in their first list, and some drop a server that answers late.

/**
 * The beginnings, in lower case, of the names of clients that take up `notifications/tools/list_changed`. A client of protocol 2026-07-28
 * needs no row: it subscribes with `subscriptions/listen`.
 */
const FOLLOWERS = ['claude-code', 'visual studio code', 'visual-studio-code', 'gemini-cli', 'opencode'] as const;

/** Whether a client with this name takes up `notifications/tools/list_changed`. An unknown client counts as one that does not. */
export const followsLists = (client: string): boolean => {
  const name = client.toLowerCase();
  return FOLLOWERS.some((start) => name.startsWith(start));
};
