// Finds a client's permission rules and hooks that name a tool of a server which was moved from the client's file to the switchboard file,
// and says how the rules should read now. Never changes them, because the user decides what may run without asking.
import { positionAt } from '../files/json-text.js';
import type { RuleForm } from './client.js';

export interface MovedServer {
  readonly name: string;
  /** The server's name in the switchboard file. */
  readonly as: string;
  /** The server's tools, each with the public name that Colibri gives it. */
  readonly tools: ReadonlyMap<string, string>;
}

export interface Mention {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly becomes: string;
}

/**
 * The public name of a tool whose server was moved to the switchboard file. For a tool that the server did not list, or a pattern: the
 * server's name there, `__`, and the tool's name or pattern.
 */
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
