// The question that a client shows to a person, and what its answer means. The values of the arguments come from a model: each is one line,
// quoted and cut, and what nobody would see in it is written as an escape.
import type { Peer } from '../../call/peer.js';
import { plain } from '../../core/plain.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { redact } from '../../redact/redact.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { shortened, type ToolPlace } from '../refusal.js';

export type GivenAnswer =
  | { readonly answer: 'yes' }
  | { readonly answer: 'no'; readonly reason: string | null }
  /** The person closed the question, or the client gave no answer that can be read. */
  | { readonly answer: 'none' };

/** Whether the client can put a form to a person. A client that declares `elicitation` without saying which kind can. */
export const canElicit = ({ capabilities }: Pick<Peer, 'capabilities'>): boolean => {
  const { elicitation } = capabilities;
  return isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined);
};

const oneLine = (value: unknown): string =>
  shortened(plain(JSON.stringify(value) ?? 'null'), SWITCHBOARD_LIMITS.askedValueChars);

/** The arguments as lines, secrets replaced. */
export const argumentLines = (args: unknown): readonly string[] => {
  const shown = redact(args);
  const members = isObject(shown) ? Object.entries(shown) : [];
  if (members.length === 0) return ['(no arguments)'];
  const most = SWITCHBOARD_LIMITS.askedArguments;
  const lines = members.slice(0, most).map(([name, value]) => `${oneLine(name).slice(1, -1)}: ${oneLine(value)}`);
  return members.length > most ? [...lines, `… and ${members.length - most} more`] : lines;
};

export const approvalQuestion = ({ server, tool }: ToolPlace, args: unknown): JsonObject => ({
  message: [
    'Colibri asks: may this call be made?',
    '',
    `server: ${oneLine(server)}`,
    `tool: ${oneLine(tool)}`,
    ...argumentLines(args).map((line) => `  ${line}`),
  ].join('\n'),
  requestedSchema: {
    type: 'object',
    properties: {
      answer: { type: 'string', title: 'May it be called?', enum: ['yes', 'no'] },
      why: {
        type: 'string',
        title: 'Why not? (optional; the agent is told)',
        maxLength: SWITCHBOARD_LIMITS.askedValueChars,
      },
    },
    required: ['answer'],
  },
});

/** What the result of `elicitation/create` means. Only a clear yes is one. */
export const answerIn = (response: unknown): GivenAnswer => {
  const { action, content } = isObject(response) ? response : {};
  const { answer, why } = isObject(content) ? content : {};
  if (action === 'accept' && answer === 'yes') return { answer: 'yes' };
  if (action !== 'decline' && !(action === 'accept' && answer === 'no')) return { answer: 'none' };
  return { answer: 'no', reason: typeof why === 'string' && why.trim() !== '' ? why.trim() : null };
};
