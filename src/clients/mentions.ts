// Permission rules and hooks of a client that name a tool which has moved, and what they should say now. Only found, never changed:
// a rule about what may run without asking is the user's own.
import { positionAt } from '../files/json-text.js';
import type { RuleForm } from './client.js';

export interface MovedServer {
  /** In the client. */
  readonly name: string;
  /** Behind the switchboard. */
  readonly as: string;
  /** Its tools and the names under which they are listed now. */
  readonly tools: ReadonlyMap<string, string>;
}

export interface Mention {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly becomes: string;
}

/** A tool that nobody lists, or a pattern, keeps its text behind the server's name, written as public names are. */
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
