// Writes the two records of a call member by member, in the order of canonical JSON. Most records are of these two kinds, and `recordText`, which
// looks up each member by its name, takes twice as long. A test compares the two writers for every member in the table of records.
import { canonicalJson } from '../proof/canonical-json.js';
import type { CallEnterRecord, CallExitRecord } from '../proof/records.js';
import type { Frame } from './record-text.js';

/** The JSON of a member, with a comma before it. The value must be a number, or a text without characters that JSON escapes. */
const plain = (name: string, value: string | number): string =>
  typeof value === 'number' ? `,"${name}":${value}` : `,"${name}":"${value}"`;

const member = (name: string, value: unknown): string =>
  value === undefined ? '' : `,"${name}":${canonicalJson(value)}`;

/** For each object with the identity of a client: its JSON. A connection has one such object, and the record of each of its calls repeats it. */
const clients = new WeakMap<object, string>();

const clientMember = (client: CallEnterRecord['client']): string => {
  if (client === null) return ',"client":null';
  const made = clients.get(client) ?? member('client', client);
  clients.set(client, made);
  return made;
};

const closed = (members: string): string => `{${members.slice(1)}}`;

/** The text of a call's intent without its position in the log, which is known only when the record is appended. */
export interface EnterHalves {
  /** Ends before the value of `seq`. */
  readonly before: string;
  /** Begins after the value of `sequence_no`. */
  readonly after: string;
}

export const enterHalves = ({ at, log }: Pick<Frame, 'at' | 'log'>, record: CallEnterRecord): EnterHalves => {
  const before =
    member('adopted', record.adopted) +
    plain('args', record.args) +
    member('args_bytes', record.args_bytes) +
    member('args_digest', record.args_digest) +
    member('args_salt', record.args_salt) +
    plain('at', at) +
    member('call', record.call) +
    member('check', record.check) +
    clientMember(record.client) +
    member('definition', record.definition) +
    member('effect', record.effect) +
    member('host', record.host) +
    member('instance', record.instance) +
    plain('kind', 'call.enter') +
    member('late', record.late) +
    plain('log', log) +
    member('recovered', record.recovered);
  return {
    before: `{${before.slice(1)},"seq":`,
    after: `${member('store', record.store) + member('tool', record.tool) + member('unlisted', record.unlisted)},"v":1}`,
  };
};

/** The text of a call's intent at the position `seq`, which is also the number of the call. */
export const enterAt = ({ before, after }: EnterHalves, seq: number): string =>
  `${before}${seq},"sequence_no":${seq}${after}`;

export const enterText = (frame: Frame, record: CallEnterRecord): string =>
  enterAt(enterHalves(frame, record), frame.seq);

export const exitText = (frame: Frame, record: CallExitRecord): string =>
  closed(
    member('adopted', record.adopted) +
      plain('at', frame.at) +
      member('attempt', record.attempt) +
      member('call', record.call) +
      member('change', record.change) +
      member('changes', record.changes) +
      member('code', record.code) +
      member('credits', record.credits) +
      member('done', record.done) +
      member('duration_us', record.duration_us) +
      member('expired', record.expired) +
      member('form', record.form) +
      plain('kind', 'call.exit') +
      member('late', record.late) +
      plain('log', frame.log) +
      plain('outcome', record.outcome) +
      member('recovered', record.recovered) +
      member('replay_of', record.replay_of) +
      member('result_digest', record.result_digest) +
      member('route', record.route) +
      plain('seq', frame.seq) +
      plain('sequence_no', frame.sequence_no) +
      member('store', record.store) +
      member('subjects', record.subjects) +
      member('texts', record.texts) +
      member('texts_bytes', record.texts_bytes) +
      member('texts_digest', record.texts_digest) +
      member('tool', record.tool) +
      plain('v', 1),
  );
