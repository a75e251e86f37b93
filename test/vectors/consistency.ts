// Consistency files, valid and not: the body of a C2SP tlog-witness add-checkpoint request.
import { leafOf, sha256 } from '../support/rfc6962.js';
import { ending, framing, looseBits, type Refused, swap, type TextCase } from './cases.js';
import {
  base64,
  checkpointOf,
  checkpointText,
  KEY,
  logTree,
  noteOf,
  OTHER_KEY,
  signatureLine,
  WITNESS,
} from './sample-log.js';

/** `older` is the note that the checker has kept. */
export interface ConsistencyCase extends TextCase {
  readonly older: string;
}

const OLD = 13;
const NEW = 21;
const MALFORMED = 'malformed';
const NEWER_MALFORMED = 'newer checkpoint: malformed';
const BROKEN = 'the newer checkpoint does not continue the older one';
const OTHER_SIZE = 'the file begins at another size than the older checkpoint';
const SMALLER = 'the newer checkpoint is of a smaller tree';
const EMPTY = 'an empty tree has the wrong root';

const OLDER = checkpointOf(OLD);
const NEWER = checkpointOf(NEW);
const PATH = logTree.proof(OLD, NEW).map(base64);
const [FIRST = '', ...OTHERS] = PATH;
const fileOf = (old: number | string, path: readonly string[], note: string): string =>
  [`old ${old}`, ...path, '', note].join('\n');
export const CONSISTENCY_FILE = fileOf(OLD, PATH, NEWER);

const FILES: readonly Refused[] = [
  ['no size', CONSISTENCY_FILE.slice(CONSISTENCY_FILE.indexOf('\n') + 1), MALFORMED],
  ['the size twice', `old 13\n${CONSISTENCY_FILE}`, MALFORMED],
  ['the size after the path', [...PATH, 'old 13', '', NEWER].join('\n'), MALFORMED],
  ['a size with a zero before it', fileOf('013', PATH, NEWER), MALFORMED],
  ['a size with a plus', fileOf('+13', PATH, NEWER), MALFORMED],
  ['a negative size', fileOf('-13', PATH, NEWER), MALFORMED],
  ['an empty size', fileOf('', PATH, NEWER), MALFORMED],
  ['a size of 2^53', fileOf('9007199254740992', PATH, NEWER), MALFORMED],
  ['a size of 2^64 + 13', fileOf('18446744073709551629', PATH, NEWER), MALFORMED],
  ['upper case', swap(CONSISTENCY_FILE, 'old', 'Old'), MALFORMED],
  ['another size', fileOf(12, PATH, NEWER), OTHER_SIZE],
  ['no empty line', swap(CONSISTENCY_FILE, '\n\n', '\n'), MALFORMED],
  ['two empty lines', swap(CONSISTENCY_FILE, '\n\n', '\n\n\n'), NEWER_MALFORMED],
  ['cut after the path', CONSISTENCY_FILE.slice(0, CONSISTENCY_FILE.indexOf('\n\n') + 1), MALFORMED],
  ['cut before the checkpoint', CONSISTENCY_FILE.slice(0, CONSISTENCY_FILE.indexOf('\n\n') + 2), NEWER_MALFORMED],
  ['cut inside the signature', CONSISTENCY_FILE.slice(0, -30), NEWER_MALFORMED],
  ['a hash left out', fileOf(OLD, OTHERS, NEWER), BROKEN],
  ['the last hash left out', fileOf(OLD, PATH.slice(0, -1), NEWER), BROKEN],
  ['no hashes', fileOf(OLD, [], NEWER), BROKEN],
  ['a hash twice', fileOf(OLD, [FIRST, ...PATH], NEWER), BROKEN],
  ['a hash more', fileOf(OLD, [...PATH, FIRST], NEWER), BROKEN],
  ['hashes in reverse', fileOf(OLD, PATH.toReversed(), NEWER), BROKEN],
  ['another hash', fileOf(OLD, [base64(leafOf('')), ...OTHERS], NEWER), BROKEN],
  ['63 hashes', fileOf(OLD, Array<string>(63).fill(FIRST), NEWER), BROKEN],
  ['64 hashes', fileOf(OLD, Array<string>(64).fill(FIRST), NEWER), MALFORMED],
  ['a hash of 31 bytes', fileOf(OLD, [base64('ab'.repeat(31)), ...OTHERS], NEWER), MALFORMED],
  ['a hash without padding', fileOf(OLD, [FIRST.slice(0, -1), ...OTHERS], NEWER), MALFORMED],
  ['a hash with loose bits', fileOf(OLD, [looseBits(FIRST), ...OTHERS], NEWER), MALFORMED],
  ['a forged root', fileOf(OLD, PATH, noteOf(checkpointText(NEW, leafOf('forged')))), BROKEN],
  ['another key', fileOf(OLD, PATH, checkpointOf(NEW, OTHER_KEY)), 'newer checkpoint: not signed by this key'],
  [
    'another log',
    fileOf(OLD, PATH, noteOf(checkpointText(NEW, logTree.root(0, NEW), OTHER_KEY.name), OTHER_KEY)),
    'newer checkpoint: wrong origin',
  ],
  [
    'a signature twice',
    CONSISTENCY_FILE + signatureLine(checkpointText(NEW, logTree.root(0, NEW)), KEY),
    'newer checkpoint: not signed by this key',
  ],
  [
    'a witness beside the log',
    CONSISTENCY_FILE + signatureLine(checkpointText(NEW, logTree.root(0, NEW)), WITNESS),
    'newer checkpoint: unknown signature',
  ],
];

const against = (older: string, [name, text, why]: Refused): ConsistencyCase => ({
  name,
  older,
  text,
  accept: false,
  why,
});
const holds = (first: number, second: number): ConsistencyCase => {
  const path = first === 0 ? [] : logTree.proof(first, second).map(base64);
  const text = fileOf(first, path, checkpointOf(second));
  return { name: `${first} begins ${second}`, older: checkpointOf(first), text, accept: true };
};

const WRONG_EMPTY = noteOf(checkpointText(0, leafOf('forged')));
const FORK = noteOf(checkpointText(OLD, sha256('another history')));

const OLDER_NOTES: readonly ConsistencyCase[] = [
  against(swap(OLDER, '\n13\n', '\n013\n'), ['older: malformed', CONSISTENCY_FILE, 'older checkpoint: malformed']),
  against(checkpointOf(OLD, OTHER_KEY), [
    'older: another key',
    CONSISTENCY_FILE,
    'older checkpoint: not signed by this key',
  ]),
  against(checkpointOf(12), ['older: another size', CONSISTENCY_FILE, OTHER_SIZE]),
  against(FORK, ['older: a fork', CONSISTENCY_FILE, BROKEN]),
  against(FORK, ['older: a fork of the same size', fileOf(OLD, [], OLDER), BROKEN]),
  against(NEWER, ['newer is smaller', fileOf(NEW, PATH, OLDER), SMALLER]),
  against(NEWER, ['the same tree with a hash', fileOf(NEW, [FIRST], NEWER), BROKEN]),
  against(checkpointOf(0), ['from nothing, with a hash', fileOf(0, [FIRST], NEWER), BROKEN]),
  against(WRONG_EMPTY, ['from nothing with a root', fileOf(0, [], NEWER), EMPTY]),
  against(checkpointOf(0), ['to nothing with a root', fileOf(0, [], WRONG_EMPTY), EMPTY]),
];

export const CONSISTENCY: readonly ConsistencyCase[] = [
  ...[
    [0, 0],
    [0, 21],
    [1, 2],
    [1, 21],
    [8, 21],
    [12, 13],
    [13, 21],
    [16, 21],
    [20, 21],
    [21, 21],
  ].map(([first = 0, second = 0]) => holds(first, second)),
  ...[...framing(CONSISTENCY_FILE), ...ending(CONSISTENCY_FILE, NEWER_MALFORMED), ...FILES].map((row) =>
    against(OLDER, row),
  ),
  ...OLDER_NOTES,
  {
    name: 'allowed: a witness',
    older: OLDER,
    text: CONSISTENCY_FILE + signatureLine(checkpointText(NEW, logTree.root(0, NEW)), WITNESS),
    cosignatures: true,
    accept: true,
  },
];
