// Finds Colibri's entries in clients' files, and its sections in AGENTS.md and CLAUDE.md, that are not in the journal of init.
import { join } from 'node:path';
import { CLIENTS } from '../../clients/table.js';
import { explained } from '../../files/explained.js';
import { blockIn, withoutBlock } from '../init/agents-block.js';
import type { FileChange } from '../init/changes.js';
import { clientChanges, modeFor, OUR_NAME, type PlacedEdit, serversIn, wordsOf } from '../init/client-files.js';
import type { Setting } from '../init/setting.js';
import { oneLine, tell } from '../screen/print.js';
import { readText } from '../text-file.js';

/** Clients' entries that start this copy of Colibri and are not in the journal: written by hand, or the journal was deleted. */
const strayEntries = ({ around, launch }: Setting): readonly PlacedEdit[] =>
  Object.values(CLIENTS).flatMap((client) =>
    client
      .places(around)
      .filter(({ scope }) => scope !== 'managed')
      .flatMap((place) => {
        const was = unlessUnreadable(() => serversIn(place, around)[OUR_NAME]);
        const isOurs = wordsOf(was).includes(launch.args[0] ?? '');
        return isOurs ? [{ client, place, name: OUR_NAME, was }] : [];
      }),
  );

/** Runs `look`; prints an error and returns undefined if the file cannot be read. */
const unlessUnreadable = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (thrown) {
    tell(`colibri: ${oneLine(thrown)}`);
    return undefined;
  }
};

const strayBlocks = ({ around }: Setting): readonly FileChange[] => {
  const { projectDir } = around;
  const files = projectDir === undefined ? [] : ['AGENTS.md', 'CLAUDE.md'].map((name) => join(projectDir, name));
  return files.flatMap((file) => {
    const before = unlessUnreadable(() => readText(file, projectDir));
    const was = before === undefined ? undefined : unlessUnreadable(() => explained(file, () => blockIn(before)));
    if (before === undefined || was === undefined) return [];
    const after = withoutBlock(before);
    const mode = modeFor(file, around);
    return [{ file, what: 'what agents read', before, after, mode, inverse: { kind: 'block', was } }];
  });
};

export const strays = (setting: Setting): readonly FileChange[] => [
  ...(unlessUnreadable(() => clientChanges(strayEntries(setting), setting.around)) ?? []),
  ...strayBlocks(setting),
];
