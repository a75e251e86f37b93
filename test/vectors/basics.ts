// What everything else rests on: canonical JSON, leaves, salted digests, trees. Expected values are literals or come from
// the definitions in test/support/rfc6962.ts.
import { CT_LEAVES, CT_ROOTS, leafOf, naiveTree } from '../support/rfc6962.js';
import { digestOf, logTree, RECORDS, SALT } from './sample-log.js';

/** `json` is any JSON text, `canonical` its one RFC 8785 text; none where a value has no such text. */
export interface CanonicalCase {
  readonly name: string;
  readonly json: string;
  readonly canonical?: string;
}

const canonical = (name: string, json: string, text: string): CanonicalCase => ({ name, json, canonical: text });

export const CANONICAL_JSON: readonly CanonicalCase[] = [
  canonical(
    'members in the order of their UTF-16 units',
    '{"b":1,"a":2,"aa":3,"B":4,"":5}',
    '{"":5,"B":4,"a":2,"aa":3,"b":1}',
  ),
  canonical(
    'RFC 8785 §3.2.3',
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",' +
      '"\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
      '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ),
  canonical('names that look like numbers', '{"10":1,"9":2,"-1":3}', '{"-1":3,"10":1,"9":2}'),
  canonical('the name __proto__', '{"b":1,"__proto__":{"a":1}}', '{"__proto__":{"a":1},"b":1}'),
  canonical('white space', ' { "a" : [ 1 , 2 ] \t}\r\n', '{"a":[1,2]}'),
  canonical('order in lists', '[3,1,2,{"b":[],"a":{}}]', '[3,1,2,{"a":{},"b":[]}]'),
  canonical('literals', '[null,true,false]', '[null,true,false]'),
  canonical(
    'numbers, RFC 8785 §3.2.2.3',
    '[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]',
    '[333333333.3333333,1e+30,4.5,0.002,1e-27]',
  ),
  canonical('zeros', '[0,-0,0.0,-0.0e5,0e400]', '[0,0,0,0,0]'),
  canonical(
    'where the exponent begins',
    '[1e20,1e21,0.000001,0.0000001]',
    '[100000000000000000000,1e+21,0.000001,1e-7]',
  ),
  canonical('the ends of a double', '[5e-324,1.7976931348623157e308,1e-400]', '[5e-324,1.7976931348623157e+308,0]'),
  canonical(
    'integers beyond 2^53 are rounded',
    '[9007199254740991,9007199254740993]',
    '[9007199254740991,9007199254740992]',
  ),
  canonical(
    'escapes',
    '"\\u0008\\u0009\\u000a\\u000c\\u000d\\u0000\\u001f\\u0022\\u005c\\u002f\\/"',
    '"\\b\\t\\n\\f\\r\\u0000\\u001f\\"\\\\//"',
  ),
  canonical(
    'what needs no escape',
    '"\\u007f\\u0080\\u2028\\u2029\\u003c\\u003e\\u0026\\u0061"',
    '"\u007f\u0080\u2028\u2029<>&a"',
  ),
  canonical('a surrogate pair', '"\\ud83d\\ude00"', '"😀"'),
  canonical('no normalisation', '["\\u00e9","e\\u0301"]', '["é","e\u0301"]'),
  { name: 'half of a surrogate pair', json: '"\\ud800"' },
  { name: 'half of a surrogate pair in a name', json: '{"\\udc00":1}' },
  { name: 'beyond a double', json: '[1e400]' },
];

/** `leaf` = SHA-256(0x00 ‖ body). The first is the one of docs/audit-format.md. */
export const LEAVES = [
  {
    name: 'docs/audit-format.md',
    body: '{"args":"stored","args_bytes":53,"args_digest":"beed0991eeca974183c8a7d264a8c47a5fcc57d5ad1744149b41bb59a2f0af0e","at":"2026-11-15T18:30:00.123Z","call":"3b241101-e2bb-4255-8caf-4136c566a962","client":{"name":"claude-code","protocol":"2026-07-28","version":"2.1.285"},"effect":"write","instance":"0192f0c1-0000-7000-8000-000000000001","kind":"call.enter","log":"9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f","seq":1,"sequence_no":1,"tool":"task_create","v":1}',
    leaf: 'be8597d2f89b68a83a9275007761ae89f6a90547a905d50a985f7f2541e6dad7',
  },
  { name: 'the empty text', body: '', leaf: CT_ROOTS[1] ?? '' },
  { name: 'more than ASCII', body: '{"é":"😀"}', leaf: leafOf('{"é":"😀"}') },
  ...RECORDS.map((body, seq) => ({ name: `record ${seq} of the sample log`, body, leaf: leafOf(body) })),
];

const digest = (salt: string, text: string) => ({ salt, text, digest: digestOf(salt, text) });
/** `digest` = SHA-256(salt ‖ text), the salt raw. The first is the one of docs/audit-format.md. */
export const DIGESTS = [
  {
    salt: SALT,
    text: '{"priority":"high","title":"Implement boot sequence"}',
    digest: 'beed0991eeca974183c8a7d264a8c47a5fcc57d5ad1744149b41bb59a2f0af0e',
  },
  digest(SALT, ''),
  digest('ff'.repeat(16), 'é€😀'),
];

/** The root over leaf data given in hex. */
export const ROOTS = CT_ROOTS.map((root, size) => ({
  data: CT_LEAVES.slice(0, size).map((leaf) => leaf.toString('hex')),
  root,
}));

const big = naiveTree(Array.from({ length: 1_000 }, (_, i) => leafOf(`record ${i}`)));
const trees = { '21': logTree, '1000': big } as const;

/** Over the sample log, and over 1,000 leaves `record 0` … `record 999`. */
export const INCLUSION = (
  [
    ['21', 0, 1],
    ['21', 0, 21],
    ['21', 12, 21],
    ['21', 20, 21],
    ['1000', 0, 1_000],
    ['1000', 511, 512],
    ['1000', 512, 513],
    ['1000', 700, 1_000],
    ['1000', 999, 1_000],
  ] as const
).map(([tree, index, size]) => ({
  leaf: trees[tree].root(index, index + 1),
  index,
  size,
  path: trees[tree].path(index, size),
  root: trees[tree].root(0, size),
}));

export const CONSISTENT = (
  [
    [1, 1],
    [1, 1_000],
    [6, 8],
    [255, 256],
    [256, 257],
    [512, 1_000],
    [700, 1_000],
    [999, 1_000],
    [1_000, 1_000],
  ] as const
).map(([first, second]) => ({
  first,
  first_root: big.root(0, first),
  second,
  second_root: big.root(0, second),
  path: big.proof(first, second),
}));
