// How an approval is shown: to people as lines, to programs as JSON.
import { isObject, parseObject } from '../../proof/canonical-json.js';
import { argumentLines } from '../../switchboard/approval/question.js';
import { type ApprovalRow, isOver } from '../../switchboard/records/approval-repository.js';
import { paint, plain } from '../screen/print.js';

/** The state of an approval now: one whose time is over is recorded as expired only when somebody next looks for it. */
export const stateNow = (row: ApprovalRow, at: string): string =>
  isOver(row, at) && (row.state === 'asked' || row.state === 'granted') ? 'expired' : row.state;

const argumentsOf = ({ args }: ApprovalRow): unknown => (args === null ? null : parseObject(args));

export const approvalJson = (row: ApprovalRow, at: string) => ({
  approval_id: row.approval_id,
  state: stateNow(row, at),
  server: row.server,
  tool: row.tool,
  arguments: argumentsOf(row),
  args_digest: row.args_digest,
  definition: row.definition,
  call: row.call_id,
  used_by: row.used_by,
  by: row.answered_by,
  via: row.via,
  claimed: row.claimed === 1,
  reason: row.reason,
  round: row.round,
  asked_at: row.asked_at,
  expires_at: row.expires_at,
});

const WORDS: Readonly<Record<string, string>> = {
  asked: 'waits for an answer',
  granted: 'allowed, not used yet',
  used: 'allowed and used',
  denied: 'denied',
  expired: 'ran out',
};

const byWhom = ({ via, answered_by, reason }: ApprovalRow): string => {
  if (via === null) return '';
  return ` (${via}${answered_by === null ? '' : `, ${answered_by}`}${reason === null ? '' : `: ${reason}`})`;
};

/** What became of an approval: its state, and who said so. */
export const approvalSentence = (row: ApprovalRow, at: string): string => {
  const state = stateNow(row, at);
  return `${WORDS[state] ?? state}${byWhom(row)}`;
};

export const approvalLines = (row: ApprovalRow, at: string): readonly string[] => {
  const args = argumentsOf(row);
  return [
    `${paint('bold', plain(row.approval_id))}  ${plain(`${row.tool} of ${row.server}`)}`,
    `  ${plain(`${approvalSentence(row, at)}; asked ${row.asked_at}, until ${row.expires_at}`)}`,
    ...(row.round === null ? [] : [`  ${plain(`decided by the votes of round ${row.round}`)}`]),
    ...(isObject(args) ? argumentLines(args).map((line) => `    ${plain(line)}`) : []),
  ];
};
