// Finds a client's permission rules and hooks that name a moved tool, and says how they should read now. It never changes them,
// because the user decides what may run without asking.
import { positionAt } from '../files/json-text.js';
import type { RuleForm } from './client.js';

export interface MovedServer {
  /** The server's name in the client. */
  readonly name: string;
  /** Its name behind the switchboard. */
  readonly as: string;
  /** Its tools, each with its public name. */
  readonly tools: ReadonlyMap<string, string>;
}

export interface Mention {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly becomes: string;
}

/** The public name of a tool. An unlisted tool or a pattern keeps its text after the server's name. */
const publicTool = ({ as, tools }: MovedServer, tool: string | undefined): string =>
  tools.get(tool ?? '') ?? `${as.replace(/[^A-Za-z0-9_-]/gu, '_')}__${tool ?? '*'}`;

export const mentionsIn = (
  text: string,
  file: string,
  form: RuleForm,
  servers: readonly MovedServer[],
): readonly Mention[] =>
  servers
    .flatMap((server) =>
      [...text.matchAll(form.mentions(server.name))].map((match) => ({
        file,
        line: positionAt(text, match.index).line,
        found: match[0],
        becomes: form.write(publicTool(server, match[1])),
      })),
    )
    .sort((a, b) => a.line - b.line);
