// Keeps which tools of a server were approved, for servers with `"onChange": "hold"`: one file in the user's state directory for each project
// and server, with the whole objects that the server sent. Only the user's own processes write it; a repository cannot.
import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quietly, systemCode } from '../../errors.js';
import { PRIVATE_FOLDER, replaceFile, writeWhole } from '../../files/whole-file.js';
import { isObject } from '../../proof/canonical-json.js';

/** The server whose tools were approved, and the project they were approved in. */
export interface BaselineKey {
  /** The real path of the project's folder; empty outside of a project. */
  readonly project: string;
  readonly server: string;
}

/** The approved tools by the names that the server gives them. */
export type ApprovedTools = ReadonlyMap<string, unknown>;

export const baselinesFolder = (stateDir: string): string => join(stateDir, 'tools');

export const projectKey = (projectDir: string | undefined): string =>
  projectDir === undefined ? '' : (quietly(() => realpathSync(projectDir)) ?? projectDir);

const fileOf = (stateDir: string, { project, server }: BaselineKey): string => {
  const name = createHash('sha256')
    .update(JSON.stringify([project, server]))
    .digest('hex');
  return join(baselinesFolder(stateDir), `${name}.json`);
};

/** The approved tools; undefined if none were ever seen. A file that cannot be read approves nothing, so that every tool is held. */
export const readBaseline = (stateDir: string, key: BaselineKey): ApprovedTools | undefined => {
  try {
    const { tools } = JSON.parse(readFileSync(fileOf(stateDir, key), 'utf8')) as { tools?: unknown };
    return new Map(isObject(tools) ? Object.entries(tools) : []);
  } catch (thrown) {
    return systemCode(thrown) === 'ENOENT' ? undefined : new Map();
  }
};

const textOf = ({ project, server }: BaselineKey, tools: ApprovedTools, how: object): string =>
  `${JSON.stringify({ version: 1, project, server, ...how, tools: Object.fromEntries(tools) })}\n`;

export const byToolName = (tools: readonly { readonly name?: unknown }[]): ApprovedTools =>
  new Map(tools.map((tool) => [String(tool.name), tool]));

/** Takes the tools that a server lists for the first time as approved, unless another process was first. */
export const beginBaseline = (stateDir: string, key: BaselineKey, tools: ApprovedTools, at: string): void => {
  const file = fileOf(stateDir, key);
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    // A link, unlike a rename, never replaces a file.
    const text = textOf(key, tools, { at, by: 'first sight' });
    writeWhole(file, (fd) => writeFileSync(fd, text), { draft, name: linkSync });
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
};

/** Takes these tools as approved by a person. Processes that run notice it by the time of the folder. */
export const approveBaseline = (stateDir: string, key: BaselineKey, tools: ApprovedTools, at: string): void => {
  replaceFile(fileOf(stateDir, key), textOf(key, tools, { at, by: 'approval' }));
  const now = new Date();
  utimesSync(baselinesFolder(stateDir), now, now);
};
