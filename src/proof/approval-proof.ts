// Checks the records of approvals in the proof of a call: each approval that the outcome names is there, and its records are those of one
// question, one answer and one use, by this call. Where voters answered, the decision of their round may stand beside it.
import { isObject, type JsonObject } from './canonical-json.js';

/** The members that all records of one approval have alike. */
const CONSTANT = ['server', 'tool', 'args_digest', 'definition', 'instance', 'expires_at', 'round'] as const;
/** What the record of the use repeats of the answer. */
const REPEATED = ['via', 'by', 'claimed'] as const;

/** The attempts of an outcome that name an approval. */
const approvedAttempts = ({ route }: JsonObject): readonly JsonObject[] => {
  const attempts: readonly unknown[] = isObject(route) && Array.isArray(route.attempts) ? route.attempts : [];
  return attempts.filter(isObject).filter(({ approval }) => approval !== undefined);
};

const groupedById = (records: readonly JsonObject[]): ReadonlyMap<unknown, readonly JsonObject[]> => {
  const groups = new Map<unknown, JsonObject[]>();
  for (const record of records) groups.set(record.approval_id, [...(groups.get(record.approval_id) ?? []), record]);
  return groups;
};

/** Whether the records are those of one approval that was asked for, granted and used by the call, in this order. */
const isWhole = (records: readonly JsonObject[], { call, seq }: JsonObject): boolean => {
  const [asked, last] = [records[0], records.at(-1)];
  const states = records.map(({ state }) => state).join(' ');
  // The answer may be in the log of another machine.
  if (asked === undefined || last === undefined || !['asked granted used', 'asked used'].includes(states)) return false;
  const isOrdered = records.every((one, at) => Number(one.seq) < Number(records[at + 1]?.seq ?? seq));
  const isOne = records.every((one) => CONSTANT.every((name) => one[name] === asked[name]));
  const [, granted] = records.length === 3 ? records : [];
  const isAnswer = granted === undefined || REPEATED.every((name) => granted[name] === last[name]);
  return isOrdered && isOne && isAnswer && last.call === call && typeof last.via === 'string';
};

const isDecision = ({ kind }: JsonObject): boolean => kind === 'decided';

/** Whether a decision is the yes of the round of an approval, from between the question and the use. */
const isYesTo = ({ round_id, result, seq }: JsonObject, approval: readonly JsonObject[]): boolean => {
  const [asked, last] = [approval[0], approval.at(-1)];
  if (asked === undefined) return false;
  return (
    result === 'approve' &&
    asked.round === round_id &&
    last?.via === 'quorum' &&
    Number(asked.seq) < Number(seq) &&
    Number(seq) < Number(last.seq)
  );
};

/** Why the records of approvals are not those that the call of this outcome used; undefined if they are. */
export const approvalsFault = (outcome: JsonObject, records: readonly JsonObject[]): string | undefined => {
  const [decisions, others] = [records.filter(isDecision), records.filter((record) => !isDecision(record))];
  if (!others.every(({ kind }) => kind === 'approval'))
    return 'a further record is not of an approval that the call used';
  const approvals = groupedById(others);
  for (const group of approvals.values())
    if (!isWhole(group, outcome)) return 'an approval was not asked for, granted and used by this call, in this order';
  if (!decisions.every((one) => [...approvals.values()].some((group) => isYesTo(one, group))))
    return 'a decision is not that of the round of an approval';
  for (const { approval, server, tool } of approvedAttempts(outcome)) {
    const used = approvals.get(approval)?.at(-1);
    if (used === undefined) return 'the use of an approval is missing';
    if (used.server !== server || used.tool !== tool)
      return 'an approval is of another tool than the one that was called';
  }
  return undefined;
};
