// The screen of `colibri` without arguments on a terminal: what Colibri is, where its data is, what to try.
import { readVersion } from '../start/version.js';
import { isThere } from './access.js';
import { findStore } from './place.js';
import { field } from './screen/fields.js';
import { oneLine, paint, plain, say } from './screen/print.js';
import { screenWidth } from './screen/width.js';

const TRY: readonly (readonly [string, string])[] = [
  ['colibri demo', 'a real session, end to end, in a few seconds'],
  ['colibri init', 'adds Colibri to the configuration of your clients'],
  ['colibri status', 'what it has recorded, and whether all is well'],
];

const dataText = (): string => {
  try {
    const { path, rule } = findStore({});
    return `${path}\n(${rule}${isThere(path) ? '' : '; created when a client first connects'})`;
  } catch (thrown) {
    return oneLine(thrown);
  }
};

export const welcome = (): void => {
  const width = screenWidth();
  say(`${paint('bold', 'Colibri')} ${readVersion()} stands between an AI agent and its tools (MCP),`);
  say('and records every call in a ledger that anybody can verify offline.');
  say();
  for (const line of field('data', dataText(), width)) say(line);
  say();
  for (const [command, what] of TRY) say(`  ${paint('bold', command.padEnd(16))}${plain(what)}`);
  say();
  say(paint('dim', 'colibri --help lists all commands. A client starts `colibri serve` by itself.'));
};
