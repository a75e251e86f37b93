// A client may have a server of somebody else's that is called `colibri`. Colibri's entry takes its place in the client's file: the server moves
// to the switchboard under another name, or the plan says that the client loses it.
import { isColibri, isSamePlace, type PlacedEdit } from './client-files.js';

/** All edits of the clients' files. A server that Colibri's entry replaces needs no edit that removes it. */
export const withoutReplaced = (
  entries: readonly PlacedEdit[],
  taken: readonly PlacedEdit[],
): readonly PlacedEdit[] => [...entries, ...taken.filter((one) => !entries.some((entry) => isSamePlace(entry, one)))];

/** Names the clients' servers that Colibri's entry replaces and that do not move to the switchboard. */
export const replacedNotes = (entries: readonly PlacedEdit[], taken: readonly PlacedEdit[]): readonly string[] =>
  entries
    .filter((entry) => entry.was !== undefined && !isColibri(entry))
    .filter((entry) => !taken.some((one) => isSamePlace(entry, one)))
    .map(({ client, place, name }) => {
      return `${client.title} has another server called ${name} in ${place.file}: our entry takes its place. Rename it there first if you need it.`;
    });
