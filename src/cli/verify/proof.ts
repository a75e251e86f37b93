// `colibri verify <proof file>`: finds the public key, checks the file and prints the result. A store is read, and the database
// driver loaded, only if no key was given.
import { existsSync } from 'node:fs';
import { asError } from '../../errors.js';
import { isPageFile } from '../../page/html.js';
import { isObject } from '../../proof/canonical-json.js';
import { readInput } from '../input.js';
import type { PlaceOptions } from '../place-options.js';
import { oneLine, plain, say, sayJson } from '../screen/print.js';
import { wrong } from '../target.js';
import { keyText } from './key-text.js';
import { judgeProof, NO_PROOF, originIn, type ProofReport, unjudged } from './proof-check.js';
import { verdictLines } from './verdict-text.js';
import { parseVkey } from './vkey.js';

export interface ProofOptions extends PlaceOptions {
  readonly key?: string;
  readonly allowCosignatures?: true;
  readonly json?: true;
}

/** The bytes at the beginning of every SQLite file (sqlite.org/fileformat2). */
const SQLITE = 'SQLite format 3\0';

const judge = async (file: string, text: string, options: ProofOptions): Promise<ProofReport> => {
  if (text.startsWith(SQLITE)) return unjudged(`This is a store, not a proof file: colibri verify --db ${file}`);
  const origin = originIn(text);
  if (origin === undefined) return unjudged(NO_PROOF);
  const cosigned = options.allowCosignatures === true;
  if (options.key !== undefined) {
    const given = parseVkey(keyText(options.key));
    if (given !== undefined) return judgeProof(text, given, cosigned);
    return unjudged('The key is not an Ed25519 vkey, or its name and key do not belong together.', origin);
  }
  const { keyInStore } = await import('./key-in-store.js');
  const own = await keyInStore(options, origin);
  if (own === undefined) {
    const remark = `The key of ${origin} is needed: ask the log's owner for \`colibri checkpoint --print\` and give it with --key.`;
    return unjudged(remark, origin);
  }
  const report = judgeProof(text, own, cosigned);
  const remark =
    'Checked with the key that the local store has for the log. If you got the key elsewhere, give it with --key.';
  return { ...report, remarks: [...report.remarks, remark] };
};

const field = (value: unknown, key: string): string | undefined => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};

/** Who allowed a call, by the record of the use of an approval. */
const allowedBy = (record: unknown): string => {
  const who = field(record, 'by') ?? 'nobody who is named';
  const claimed = isObject(record) && record.claimed === true ? ' (claimed by the client)' : '';
  return `allowed by ${who}, via ${field(record, 'via')}${claimed}: ${field(record, 'tool')} of ${field(record, 'server')}, at ${field(record, 'at')}, approval ${field(record, 'approval_id')}`;
};

const facts = ({ proved }: ProofReport): string[] => {
  if (proved === null) return [];
  const { record, thought, content, index, size, call } = proved;
  const parts = ['kind', 'tool', 'outcome', 'session_id', 'at'].map((key) => field(record, key));
  return [
    `record ${index} of ${size}: ${parts.filter((part) => part !== undefined).join(' ')}`,
    ...(thought === null ? [] : [`thought ${field(thought, 'thought_id')}, ${field(thought, 'type')}`]),
    ...(content === null ? [] : [`content: ${content}`]),
    ...(call?.records ?? []).filter((one) => field(one, 'state') === 'used').map(allowedBy),
  ];
};

const TASK = /^T-\d+$/i;

/** The text of the file, or why it cannot be read. */
const textIn = (file: string): string | Error => {
  if (TASK.test(file) && !existsSync(file))
    return wrong(`${file} is a task, not a file.`, `colibri verify --task ${file}`);
  try {
    return readInput(file, 'proof');
  } catch (thrown) {
    return asError(thrown);
  }
};

export const verifyProofFile = async (file: string, options: ProofOptions): Promise<number> => {
  const text = textIn(file);
  if (typeof text === 'string' && isPageFile(text))
    return (await import('./page.js')).verifyPageFile(file, text, options);
  const judged = typeof text === 'string' ? judge(file, text, options) : Promise.reject(text);
  const report = await judged.catch((thrown: unknown) => unjudged(oneLine(thrown)));
  if (options.json) sayJson(report);
  else {
    const subject = `proof ${plain(file)}${report.origin === null ? '' : ` of ${report.origin}`}`;
    for (const line of verdictLines({ ...report, subject, facts: facts(report), missing: [] })) say(line);
  }
  return report.exit;
};
