// The command line of a run.
import { parseArgs } from 'node:util';
import { fitted } from '../build/cli/screen/width.js';
import { KINDS, LIARS } from './fakes.mjs';

const wrapped = (/** @type {string} */ text) => fitted(text, 80).join('\n');

export const USAGE = `npm run chaos
        one server after another is made sick; about two minutes
npm run chaos -- --only hanging --only dead
        some kinds
npm run chaos -- --config switchboard.json
        your own servers, started by a scratch Colibri and disturbed from outside

  --config <file>      a switchboard file; its servers are started as configured
  --yes                start them without asking
  --tool <server/tool=JSON>
                       call this tool too; without it only read-only tools
                       without required arguments are called
  --no-calls           call nothing: checks alone
  --only <kind>        may be repeated
  --scale <number>     configured times are divided by it; default 20
  --json               JSON on stdout
  --keep               leave the scratch folder

${wrapped(`Kinds: ${Object.keys(KINDS).join(', ')}.`)}
With --config: killed, blocked, flapping; for HTTP refused, silent, cut.
Exit code: 0 everything held, 1 something did not, 2 wrong options,
130 interrupted.`;

const OWN_KINDS = ['killed', 'blocked', 'flapping', 'refused', 'silent', 'cut'];

/** What is wrong with how the run was asked for: one line, exit code 2. */
export class Wrong extends Error {}

/** @param {string} text @returns {{ place: string, arguments: Record<string, unknown> }} */
const readTool = (text) => {
  const at = text.indexOf('=');
  const [place, json] = at < 0 ? [text, '{}'] : [text.slice(0, at), text.slice(at + 1)];
  try {
    const value = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { place, arguments: value };
  } catch {
    // Said below.
  }
  throw new Wrong(`--tool ${place}: its arguments must be a JSON object`);
};

/** `server/tool`, split after the longest server. @param {ReturnType<typeof readTool>} tool @param {readonly string[]} servers */
export const placedTool = ({ place, arguments: args }, servers) => {
  const server = [...servers].sort((a, b) => b.length - a.length).find((name) => place.startsWith(`${name}/`));
  if (server === undefined) throw new Wrong(`--tool ${place}: must be server/tool; there are ${servers.join(', ')}`);
  return { server, tool: place.slice(server.length + 1), arguments: args };
};

const parse = (/** @type {readonly string[]} */ args) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        config: { type: 'string' },
        yes: { type: 'boolean', default: false },
        tool: { type: 'string', multiple: true },
        'no-calls': { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        scale: { type: 'string', default: '20' },
        json: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (thrown) {
    throw new Wrong(/** @type {Error} */ (thrown).message);
  }
};

/** @param {readonly string[]} args */
export const readOptions = (args) => {
  const values = parse(args);
  const scale = Number(values.scale);
  if (!(scale >= 1 && scale <= 1_000)) throw new Wrong('--scale takes a number from 1 to 1000');
  const known = values.config === undefined ? Object.keys({ ...KINDS, ...LIARS }) : OWN_KINDS;
  const unknown = values.only?.find((id) => !known.includes(id));
  if (unknown !== undefined) throw new Wrong(`no kind ${unknown}; there are ${known.join(', ')}`);
  if (values.tool !== undefined && values.config === undefined) throw new Wrong('--tool goes with --config');
  const all = values.config === undefined ? Object.keys(KINDS) : OWN_KINDS;
  return {
    config: values.config,
    yes: values.yes,
    tools: (values.tool ?? []).map(readTool),
    isQuiet: values['no-calls'],
    only: known.filter((id) => (values.only ?? all).includes(id)),
    scale,
    json: values.json,
    keep: values.keep,
    help: values.help,
  };
};
