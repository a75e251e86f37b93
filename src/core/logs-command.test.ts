import { expect, it } from 'vitest';
import { logsCommand } from './logs-command.js';

it.each([
  ['search', 'colibri logs search'],
  ['my-search.2', 'colibri logs my-search.2'],
  ['my search', "colibri logs 'my search'"],
  ['$(rm -rf ~)', "colibri logs '$(rm -rf ~)'"],
  ["it's", "colibri logs 'it'\\''s'"],
  ['--json', "colibri logs -- '--json'"],
])('%s', (server, command) => {
  expect(logsCommand(server)).toBe(command);
});
