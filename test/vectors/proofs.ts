// Proof files, valid and not: c2sp.org/tlog-proof@v1 with our `extra`.
import { leafOf } from '../support/rfc6962.js';
import { accepted, ending, framing, looseBits, type Refused, refusals, swap, type TextCase } from './cases.js';
import {
  base64,
  CONTENTS,
  checkpointOf,
  checkpointText,
  KEY,
  LOOKALIKE_SEQ,
  logTree,
  noteOf,
  OTHER_KEY,
  RECORDS,
  SALT,
  SEAL_SEQ,
  signatureLine,
  sorted,
  THOUGHTS,
  thoughtTree,
  WITNESS,
} from './sample-log.js';

const MAGIC = 'c2sp.org/tlog-proof@v1';
const SIZE = 21;
const SEQ = 9;
/** The thought with the difficult content. */
const PLACE = 3;
const NOTE = checkpointOf(SIZE);
const MALFORMED = 'malformed';
const NOT_IN_TREE = 'the record is not in the tree of the checkpoint';
const NOT_IN_SESSION = 'the thought is not in the sealed session';
const NO_SEAL = 'the record is not the seal of a session';
const NOT_THE_CONTENT = 'the content does not match the digest in the thought';
const FOREIGN = 'checkpoint: not signed by this key';

const recordOf = (seq: number): string => RECORDS[seq] ?? '';
const pathOf = (seq: number, size = SIZE): string[] => logTree.path(seq, size).map(base64);

interface Parts {
  readonly extra: string;
  readonly index: string;
  readonly path: readonly string[];
  readonly note: string;
}
const fileOf = ({ extra, index, path, note }: Parts): string => [MAGIC, extra, index, ...path, '', note].join('\n');

const extraOf = (json: string | Buffer): string => `extra ${Buffer.from(json).toString('base64')}`;
const plain = (seq: number): Parts => ({
  extra: extraOf(sorted({ record: recordOf(seq) })),
  index: `index ${seq}`,
  path: pathOf(seq),
  note: NOTE,
});
const RECORD = plain(SEQ);
const SEAL = plain(SEAL_SEQ);

const THOUGHT = {
  record: THOUGHTS[PLACE] ?? '',
  content: CONTENTS[PLACE] ?? '',
  salt: SALT,
  index: PLACE,
  path: thoughtTree.path(PLACE, THOUGHTS.length),
};
const withThought = (changes: object, rest: object = {}): string =>
  fileOf({
    ...SEAL,
    extra: extraOf(sorted({ record: recordOf(SEAL_SEQ), thought: { ...THOUGHT, ...changes }, ...rest })),
  });

export const RECORD_PROOF = fileOf(RECORD);
export const THOUGHT_PROOF = withThought({});

const file = (changes: Partial<Parts>): string => fileOf({ ...RECORD, ...changes });
const extra = (json: string | Buffer): string => file({ extra: extraOf(json) });
const JSON_TEXT = sorted({ record: recordOf(SEQ) });
const [FIRST = '', ...OTHERS] = RECORD.path;
const ENCODED = RECORD.extra.slice('extra '.length);

const LINES: readonly Refused[] = [
  ['another version', swap(RECORD_PROOF, MAGIC, 'c2sp.org/tlog-proof@v2'), MALFORMED],
  ['no first line', swap(RECORD_PROOF, `${MAGIC}\n`, ''), MALFORMED],
  ['the first line twice', `${MAGIC}\n${RECORD_PROOF}`, MALFORMED],
  ['no extra', swap(RECORD_PROOF, `${RECORD.extra}\n`, ''), MALFORMED],
  ['extra twice', file({ extra: `${RECORD.extra}\n${RECORD.extra}` }), MALFORMED],
  ['index before extra', file({ extra: RECORD.index, index: RECORD.extra }), MALFORMED],
  ['no index', swap(RECORD_PROOF, `${RECORD.index}\n`, ''), MALFORMED],
  ['index twice', file({ index: `${RECORD.index}\n${RECORD.index}` }), MALFORMED],
  ['a hash before the index', file({ index: `${FIRST}\n${RECORD.index}`, path: OTHERS }), MALFORMED],
  ['no empty line', swap(RECORD_PROOF, '\n\n', '\n'), MALFORMED],
  ['two empty lines', swap(RECORD_PROOF, '\n\n', '\n\n\n'), 'checkpoint: malformed'],
  ['cut after the extra', `${MAGIC}\n${RECORD.extra}\n`, MALFORMED],
  ['cut after the path', RECORD_PROOF.slice(0, RECORD_PROOF.indexOf('\n\n') + 1), MALFORMED],
  ['cut before the checkpoint', RECORD_PROOF.slice(0, RECORD_PROOF.indexOf('\n\n') + 2), 'checkpoint: malformed'],
  ['cut inside the signature', RECORD_PROOF.slice(0, -30), 'checkpoint: malformed'],
];

const EXTRA: readonly Refused[] = [
  ['extra: nothing', file({ extra: 'extra ' }), MALFORMED],
  ['extra: no space', file({ extra: `extra${ENCODED}` }), MALFORMED],
  ['extra: two spaces', file({ extra: `extra  ${ENCODED}` }), MALFORMED],
  ['extra: upper case', file({ extra: `Extra ${ENCODED}` }), MALFORMED],
  ['extra: a space at the end', file({ extra: `${RECORD.extra} ` }), MALFORMED],
  ['extra: no padding', file({ extra: swap(extraOf(`${JSON_TEXT} `), /=*$/, '') }), MALFORMED],
  [
    'extra: base64url',
    extra(sorted({ record: '>>>???' })).replace(/^extra .*$/m, (line) => line.replace('/', '_')),
    MALFORMED,
  ],
  ['extra: not base64', file({ extra: `extra !${ENCODED.slice(1)}` }), MALFORMED],
  ['extra: no UTF-8', extra(Buffer.from(swap(JSON_TEXT, 'sample', 'samp\u00ff'), 'latin1')), MALFORMED],
  ['extra: a byte order mark', extra(`\ufeff${JSON_TEXT}`), MALFORMED],
  ['extra: not JSON', extra(JSON_TEXT.slice(0, -1)), MALFORMED],
  ['extra: a newline after the JSON', extra(`${JSON_TEXT}\n`), MALFORMED],
  ['extra: JSON with a space', extra(swap(JSON_TEXT, ':', ': ')), MALFORMED],
  ['extra: JSON with an escape too many', extra(swap(JSON_TEXT, 'sample', 's\\u0061mple')), MALFORMED],
  ['extra: a member twice', extra(swap(JSON_TEXT, '{', '{"record":"",')), MALFORMED],
  [
    'extra: members not in order',
    fileOf({
      ...SEAL,
      extra: extraOf(`{"thought":${sorted(THOUGHT)},"record":${JSON.stringify(recordOf(SEAL_SEQ))}}`),
    }),
    MALFORMED,
  ],
  ['extra: an unknown member', extra(sorted({ record: recordOf(SEQ), note: 'x' })), MALFORMED],
  ['extra: a member in upper case', extra(swap(JSON_TEXT, 'record', 'Record')), MALFORMED],
  ['extra: half of a surrogate pair', extra('{"record":"\\ud800"}'), MALFORMED],
  ['extra: the record as an object', extra(`{"record":${recordOf(SEQ)}}`), MALFORMED],
  ['extra: no record', extra('{}'), MALFORMED],
  ['extra: a list', extra('[]'), MALFORMED],
  ['extra: null', extra('null'), MALFORMED],
  ['extra: no thought', extra(sorted({ record: recordOf(SEQ), thought: null })), MALFORMED],
];

const PLACES: readonly Refused[] = [
  ['index: a zero before it', file({ index: 'index 09' }), MALFORMED],
  ['index: a plus', file({ index: 'index +9' }), MALFORMED],
  ['index: negative', file({ index: 'index -9' }), MALFORMED],
  ['index: minus zero', file({ index: 'index -0' }), MALFORMED],
  ['index: nothing', file({ index: 'index ' }), MALFORMED],
  ['index: a space after it', file({ index: 'index 9 ' }), MALFORMED],
  ['index: hex', file({ index: 'index 0x9' }), MALFORMED],
  ['index: 2^53', file({ index: 'index 9007199254740992' }), MALFORMED],
  ['index: 2^53 + 9', file({ index: 'index 9007199254741001' }), MALFORMED],
  ['index: 2^64 + 9', file({ index: 'index 18446744073709551625' }), MALFORMED],
  ['index: 2^53 - 1', file({ index: 'index 9007199254740991' }), NOT_IN_TREE],
  ['index: the size', file({ index: 'index 21' }), NOT_IN_TREE],
  ['index: the next', file({ index: 'index 10' }), NOT_IN_TREE],
  ['path: a hash left out', file({ path: OTHERS }), NOT_IN_TREE],
  ['path: the last left out', file({ path: RECORD.path.slice(0, -1) }), NOT_IN_TREE],
  ['path: nothing', file({ path: [] }), NOT_IN_TREE],
  ['path: a hash twice', file({ path: [FIRST, ...RECORD.path] }), NOT_IN_TREE],
  ['path: in reverse', file({ path: RECORD.path.toReversed() }), NOT_IN_TREE],
  ['path: another hash', file({ path: [base64(leafOf('')), ...OTHERS] }), NOT_IN_TREE],
  ['path: 64 hashes', file({ path: Array<string>(64).fill(FIRST) }), NOT_IN_TREE],
  ['path: 65 hashes', file({ path: Array<string>(65).fill(FIRST) }), MALFORMED],
  ['path: a hash of 31 bytes', file({ path: [base64('ab'.repeat(31)), ...OTHERS] }), MALFORMED],
  ['path: a hash of 33 bytes', file({ path: [base64('ab'.repeat(33)), ...OTHERS] }), MALFORMED],
  ['path: no padding', file({ path: [FIRST.slice(0, -1), ...OTHERS] }), MALFORMED],
  ['path: loose bits', file({ path: [looseBits(FIRST), ...OTHERS] }), MALFORMED],
  ['path: a space before a hash', file({ path: [` ${FIRST}`, ...OTHERS] }), MALFORMED],
  ['path: two hashes on a line', file({ path: [RECORD.path.join('')] }), MALFORMED],
  ['path: hex', file({ path: logTree.path(SEQ, SIZE) }), MALFORMED],
];

const EVIL_ROOT = leafOf('forged');
const TREES: readonly Refused[] = [
  ['forged: another record', extra(sorted({ record: swap(recordOf(SEQ), '"count":10', '"count":11') })), NOT_IN_TREE],
  ['forged: another record of the log', extra(sorted({ record: recordOf(SEQ + 1) })), NOT_IN_TREE],
  ['forged: an inner node as a record', extra(sorted({ record: '\u0001' })), NOT_IN_TREE],
  ['forged: another root', file({ note: swap(NOTE, base64(logTree.root(0, SIZE)), base64(EVIL_ROOT)) }), FOREIGN],
  [
    'forged: another root, signed by another',
    file({ note: noteOf(checkpointText(SIZE, EVIL_ROOT), OTHER_KEY) }),
    FOREIGN,
  ],
  ['the checkpoint of another size', file({ note: checkpointOf(SEQ + 2) }), NOT_IN_TREE],
  ['a checkpoint from before the record', file({ note: checkpointOf(SEQ) }), NOT_IN_TREE],
  [
    'the checkpoint of another log',
    file({ note: noteOf(checkpointText(SIZE, logTree.root(0, SIZE), OTHER_KEY.name), OTHER_KEY) }),
    'checkpoint: wrong origin',
  ],
  ['a signature twice', RECORD_PROOF + signatureLine(checkpointText(SIZE, logTree.root(0, SIZE)), KEY), FOREIGN],
  [
    'a witness beside the log',
    RECORD_PROOF + signatureLine(checkpointText(SIZE, logTree.root(0, SIZE)), WITNESS),
    'checkpoint: unknown signature',
  ],
];

const THOUGHTS_REFUSED: readonly Refused[] = [
  ['thought: another content', withThought({ content: `${THOUGHT.content} ` }), NOT_THE_CONTENT],
  ['thought: another salt', withThought({ salt: '10'.repeat(16) }), NOT_THE_CONTENT],
  ['thought: a short salt', withThought({ salt: SALT.slice(2) }), NOT_THE_CONTENT],
  ['thought: a salt in upper case', withThought({ salt: SALT.toUpperCase() }), NOT_THE_CONTENT],
  ['thought: a content without salt', withThought({ content: 'anything', salt: null }), MALFORMED],
  ['thought: a salt without content', withThought({ content: null }), MALFORMED],
  ['thought: another thought', withThought({ record: THOUGHTS[PLACE + 1] }), NOT_IN_SESSION],
  ['thought: another place', withThought({ index: PLACE - 1 }), NOT_IN_SESSION],
  ['thought: a place beyond the session', withThought({ index: THOUGHTS.length }), NOT_IN_SESSION],
  ['thought: a negative place', withThought({ index: -1 }), MALFORMED],
  ['thought: a place of 2^53', withThought({ index: 2 ** 53 }), MALFORMED],
  ['thought: half a place', withThought({ index: 3.5 }), MALFORMED],
  ['thought: the place as a text', withThought({ index: '3' }), MALFORMED],
  ['thought: a path in reverse', withThought({ path: THOUGHT.path.toReversed() }), NOT_IN_SESSION],
  ['thought: no path', withThought({ path: [] }), NOT_IN_SESSION],
  ['thought: a path in upper case', withThought({ path: THOUGHT.path.map((hash) => hash.toUpperCase()) }), MALFORMED],
  ['thought: a path of 65', withThought({ path: Array<string>(65).fill('ab'.repeat(32)) }), MALFORMED],
  ['thought: an unknown member', withThought({ more: 1 }), MALFORMED],
  ['thought: a member missing', withThought({ salt: undefined }), MALFORMED],
  ['thought: an unknown member beside it', withThought({}, { thoughts: [] }), MALFORMED],
  [
    'thought: under a record that is no seal',
    file({ extra: extraOf(sorted({ record: recordOf(SEQ), thought: THOUGHT })) }),
    NO_SEAL,
  ],
  [
    'thought: under a record that only looks like a seal',
    fileOf({
      ...plain(LOOKALIKE_SEQ),
      extra: extraOf(sorted({ record: recordOf(LOOKALIKE_SEQ), thought: THOUGHT })),
    }),
    NO_SEAL,
  ],
];

const FIRST_OF_ONE = fileOf({ ...plain(0), path: [], note: checkpointOf(1) });

export const PROOFS: readonly TextCase[] = [
  accepted('a record', RECORD_PROOF),
  accepted('the first record', fileOf(plain(0))),
  accepted('the last record', fileOf(plain(SIZE - 1))),
  accepted('the only record', FIRST_OF_ONE),
  accepted('a seal', fileOf(SEAL)),
  accepted('a thought', THOUGHT_PROOF),
  accepted('an erased thought', withThought({ content: null, salt: null })),
  {
    ...accepted(
      'allowed: a witness',
      RECORD_PROOF + signatureLine(checkpointText(SIZE, logTree.root(0, SIZE)), WITNESS),
    ),
    cosignatures: true,
  },
  ...refusals([
    ...framing(RECORD_PROOF),
    ...ending(RECORD_PROOF, 'checkpoint: malformed'),
    ...LINES,
    ...EXTRA,
    ...PLACES,
    ...TREES,
    ...THOUGHTS_REFUSED,
  ]),
];
