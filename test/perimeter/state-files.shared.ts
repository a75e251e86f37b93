// What the tests of parallel commands look at: the switchboard file, the approvals, and what killed commands leave.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { type ClientHome, clientHome } from '../support/client-home.js';
import { filesBelow } from '../support/serve.js';

export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** A project with a folder of ours, so that its own file is the one that is written. */
export const projectHome = (): ClientHome => {
  const at = clientHome();
  fs.mkdirSync(join(at.project, '.colibri'));
  return at;
};

export const add = (at: ClientHome, name: string) => at.run(['switchboard', 'add', name, '--', 'node', `${name}.js`]);

const parsed = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8'));

export const serversOf = (at: ClientHome): string[] =>
  Object.keys(parsed(join(at.project, '.colibri', 'switchboard.json')).mcpServers).toSorted();

export const approvedOf = (at: ClientHome): string[] =>
  parsed(join(at.state, 'approvals.json'))
    .approved.map(({ server }: { server: string }) => server)
    .toSorted();

/** Drafts and notes about them, anywhere in the test's folder. */
export const leftBehind = (at: ClientHome): string[] =>
  filesBelow(at.place.dir).filter((file) => /\.[0-9a-f]{12}(\.part)?$|\/draft-/.test(file));
