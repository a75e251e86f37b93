// Checkpoints, valid and not: C2SP tlog-checkpoint inside C2SP signed-note.
import { accepted, ending, framing, looseBits, nudge, type Refused, refusals, swap, type TextCase } from './cases.js';
import {
  base64,
  checkpointOf,
  checkpointText,
  IMPOSTOR,
  KEY,
  logTree,
  noteOf,
  OTHER_KEY,
  signatureLine,
  WITNESS,
} from './sample-log.js';

const SIZE = 21;
const ROOT = logTree.root(0, SIZE);
const NOTE = checkpointOf(SIZE);
const TEXT = checkpointText(SIZE, ROOT);
const LINE = signatureLine(TEXT, KEY);
const MALFORMED = 'malformed';
const UNSIGNED = 'not signed by this key';

/** Signed as it is: the signature is good, the text is not. */
const SIGNED: readonly Refused[] = [
  ['a size with a zero before it, signed', noteOf(checkpointText('021', ROOT)), MALFORMED],
  ['a size with a plus, signed', noteOf(checkpointText('+21', ROOT)), MALFORMED],
  ['a negative size, signed', noteOf(checkpointText('-21', ROOT)), MALFORMED],
  ['a size with a point, signed', noteOf(checkpointText('21.0', ROOT)), MALFORMED],
  ['a size with an exponent, signed', noteOf(checkpointText('2e1', ROOT)), MALFORMED],
  ['a size in Arabic digits, signed', noteOf(checkpointText('٢١', ROOT)), MALFORMED],
  ['no size, signed', noteOf(checkpointText('', ROOT)), MALFORMED],
  ['a size of 2^53, signed', noteOf(checkpointText('9007199254740992', ROOT)), MALFORMED],
  ['a size of 2^53 + 1, signed', noteOf(checkpointText('9007199254740993', ROOT)), MALFORMED],
  ['a size of 2^64, signed', noteOf(checkpointText('18446744073709551616', ROOT)), MALFORMED],
  ['a root of 31 bytes, signed', noteOf(checkpointText(SIZE, ROOT.slice(2))), MALFORMED],
  ['a root of 33 bytes, signed', noteOf(checkpointText(SIZE, `${ROOT}00`)), MALFORMED],
  ['a root without padding, signed', noteOf(swap(TEXT, '=\n', '\n')), MALFORMED],
  ['a root with loose bits, signed', noteOf(swap(TEXT, base64(ROOT), looseBits(base64(ROOT)))), MALFORMED],
  ['a root in hex, signed', noteOf(swap(TEXT, base64(ROOT), ROOT)), MALFORMED],
  ['an extension line, signed', noteOf(`${TEXT}more\n`), MALFORMED],
  ['root before size, signed', noteOf(`${KEY.name}\n${base64(ROOT)}\n${SIZE}\n`), MALFORMED],
  ['no origin, signed', noteOf(swap(TEXT, KEY.name, '')), MALFORMED],
  ['CRLF in the text, signed', noteOf(TEXT.replaceAll('\n', '\r\n')), MALFORMED],
  ['another origin, signed', noteOf(checkpointText(SIZE, ROOT, OTHER_KEY.name)), 'wrong origin'],
  ['an origin with a space, signed', noteOf(checkpointText(SIZE, ROOT, `${KEY.name} `)), 'wrong origin'],
];

const at = NOTE.indexOf(LINE);
const ENCODED = LINE.slice(LINE.lastIndexOf(' ') + 1, -1);

const SIGNATURES: readonly Refused[] = [
  ['another size', swap(NOTE, '\n21\n', '\n20\n'), UNSIGNED],
  ['another root', swap(NOTE, base64(ROOT), base64(logTree.root(0, 20))), UNSIGNED],
  ['a changed signature', nudge(NOTE, NOTE.length - 20), UNSIGNED],
  ['a changed key hash', nudge(NOTE, NOTE.length - ENCODED.length), UNSIGNED],
  ['no signature', NOTE.slice(0, at), MALFORMED],
  ['no blank line', swap(NOTE, '\n\n', '\n'), MALFORMED],
  ['two blank lines', swap(NOTE, '\n\n', '\n\n\n'), MALFORMED],
  ['the signature before the text', `${LINE}\n${TEXT}`, MALFORMED],
  ['the signature twice', NOTE + LINE, UNSIGNED],
  ['a blank line between two signatures', `${NOTE}\n${signatureLine(TEXT, WITNESS)}`, MALFORMED],
  ['a hyphen for the dash', swap(NOTE, '—', '-'), MALFORMED],
  ['no dash', swap(NOTE, '— ', ''), MALFORMED],
  ['two spaces', swap(NOTE, '— ', '—  '), MALFORMED],
  ['a space at the end of a signature', swap(NOTE, /\n$/, ' \n'), MALFORMED],
  ['a signature without padding', swap(NOTE, /=\n$/, '\n'), MALFORMED],
  ['a signature with loose bits', swap(NOTE, ENCODED, looseBits(ENCODED)), MALFORMED],
  ['a signature in base64url', swap(NOTE, ENCODED, ENCODED.replace(/[A-Za-z0-9]/, '-')), MALFORMED],
  ['a signature of 63 bytes', swap(NOTE, ENCODED, shortened(ENCODED, -1)), UNSIGNED],
  ['a signature of 65 bytes', swap(NOTE, ENCODED, shortened(ENCODED, 1)), UNSIGNED],
  ['a signature of no bytes', swap(NOTE, ENCODED, shortened(ENCODED, -64)), MALFORMED],
  ['another key', noteOf(TEXT, OTHER_KEY), UNSIGNED],
  ['another key under the same name', noteOf(TEXT, IMPOSTOR), UNSIGNED],
  ['the signature of another note', TEXT + checkpointOf(20).slice(checkpointText(20, ROOT).length), UNSIGNED],
  ['a witness beside it', NOTE + signatureLine(TEXT, WITNESS), 'unknown signature'],
];

function shortened(encoded: string, by: number): string {
  const bytes = Buffer.from(encoded, 'base64');
  return (by < 0 ? bytes.subarray(0, by) : Buffer.concat([bytes, Buffer.alloc(by)])).toString('base64');
}

const cosigned = (name: string, text: string): TextCase => ({ ...accepted(name, text), cosignatures: true });
const notCosigned = (name: string, text: string, why = MALFORMED): TextCase => ({
  name,
  text,
  cosignatures: true,
  accept: false,
  why,
});
const witnessLine = signatureLine(TEXT, WITNESS);
const named = (name: string): string => NOTE + swap(witnessLine, WITNESS.name, name);

const witnesses = (count: number): string =>
  Array.from({ length: count }, (_, i) => swap(witnessLine, WITNESS.name, `witness.example/${i}`)).join('');

const COSIGNED: readonly TextCase[] = [
  cosigned('allowed: a witness', NOTE + witnessLine),
  cosigned('allowed: a witness before the log', `${TEXT}\n${witnessLine}${LINE}`),
  cosigned('allowed: another key under the name of the log', NOTE + signatureLine(TEXT, IMPOSTOR)),
  cosigned('allowed: 100 signatures', NOTE + witnesses(99)),
  notCosigned('allowed: 101 signatures', NOTE + witnesses(100)),
  notCosigned('allowed: a witness alone', `${TEXT}\n${witnessLine}`, UNSIGNED),
  notCosigned('allowed: the log twice', NOTE + LINE, UNSIGNED),
  notCosigned('allowed: a plus in a name', named('a+b')),
  notCosigned('allowed: a control in a name', named('a\u0001b')),
  notCosigned('allowed: a next-line in a name', named('a\u0085b')),
  notCosigned('allowed: a no-break space in a name', named('a\u00a0b')),
  notCosigned('allowed: a replacement character in a name', named('a\ufffdb')),
  notCosigned('allowed: a signature of no bytes', `${NOTE}— w AAAAAA==\n`),
];

export const CHECKPOINTS: readonly TextCase[] = [
  accepted('21 records', NOTE),
  accepted('one record', checkpointOf(1)),
  accepted('no records', checkpointOf(0)),
  accepted('a size of 2^53 - 1', noteOf(checkpointText('9007199254740991', ROOT))),
  ...refusals([...framing(NOTE, 'wrong origin'), ...ending(NOTE, MALFORMED), ...SIGNED, ...SIGNATURES]),
  ...COSIGNED,
];
